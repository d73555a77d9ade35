import type { TranscriptEntry } from "../journal.ts";
import { tokensOf } from "./tokens-of.ts";
import { visibleEntries } from "./visible-entries.ts";

/** How full a window is and what fills it, in tokens, as far as is known. */
export interface ContextReport {
  readonly tokens: number;
  readonly windowTokens: number;
  readonly parts: Readonly<Record<"prompt" | "tools" | "words" | "answers" | "results" | "checkpoint", number>>;
  /** How often the conversation was shortened. */
  readonly compressions: number;
}

export interface ReportSettings {
  readonly promptTokens: number;
  readonly toolTokens: number;
  readonly windowTokens: number;
  /** What the next request takes. */
  readonly used: number;
}

/** The parts are guesses, scaled so that they come to what is used. */
export function contextReport(entries: readonly TranscriptEntry[], settings: ReportSettings): ContextReport {
  const { promptTokens, toolTokens, windowTokens, used } = settings;
  const visible = visibleEntries(entries);
  const of = (...kinds: TranscriptEntry["kind"][]) => tokensOf(visible.filter(({ kind }) => kinds.includes(kind)));
  const guessed = {
    prompt: promptTokens,
    tools: toolTokens,
    words: of("user", "overheard", "note"),
    answers: of("assistant"),
    results: of("tool.result", "call.settled"),
    checkpoint: of("checkpoint"),
  };
  const total = Object.values(guessed).reduce((sum, tokens) => sum + tokens, 0);
  const scaled = (tokens: number) => (total === 0 ? 0 : Math.round((tokens * used) / total));
  return {
    tokens: used,
    windowTokens,
    parts: {
      prompt: scaled(guessed.prompt),
      tools: scaled(guessed.tools),
      words: scaled(guessed.words),
      answers: scaled(guessed.answers),
      results: scaled(guessed.results),
      checkpoint: scaled(guessed.checkpoint),
    },
    compressions: compressionsIn(entries),
  };
}

/** Counted on by each of them, since those before are not read any more. */
export function compressionsIn(entries: readonly TranscriptEntry[]): number {
  const last = entries.findLast((entry) => entry.kind === "cleared" || entry.kind === "checkpoint");
  return last?.kind === "cleared" || last?.kind === "checkpoint" ? (last.nth ?? 1) : 0;
}
