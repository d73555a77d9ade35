import { type Clock, type Derived, instantOf, type Platform } from "@talaria/protocol";
import type { AssistantEntry, TranscriptEntry } from "../journal.ts";
import type { MediaAccess } from "../media.ts";
import type { TurnJournal } from "../turn-journal.ts";
import type { Notes } from "./ask-for-notes.ts";
import { compress, hardest } from "./compress.ts";
import type { CheckpointEntry, ClearedEntry, CompressionReason } from "./context-entries.ts";
import { type ContextReport, contextReport } from "./context-report.ts";
import type { WindowBudget } from "./window-budget.ts";

export interface TurnWindowSettings {
  readonly history: readonly TranscriptEntry[];
  readonly journal: TurnJournal;
  readonly budget: WindowBudget;
  readonly promptTokens: number;
  /** Tools on demand are found instead of shown. */
  readonly hidesOnDemand: boolean;
  readonly platform: Platform;
  /** Somebody has asked for it: the turn begins with it. */
  readonly compact: boolean;
  readonly media: MediaAccess;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly taintOf: (entries: readonly TranscriptEntry[]) => Derived["taint"];
  readonly audience: readonly string[];
  readonly notesOn?: ((text: string) => Promise<Notes>) | undefined;
}

type Made = ClearedEntry | CheckpointEntry;

/** A rejection in words that nobody knows may be about length where a request takes so much, and more than any that was taken. */
const suspicious = { leastTokens: 6_000, force: 2 };

/** Keeps a turn within its model's window. What it makes is written by the turn like everything else. */
export class TurnWindow {
  readonly #settings: TurnWindowSettings;
  /** How many answers there were when nothing could be won. */
  #futileAt: number | undefined;
  /** Nothing more can be left out: the guess may be wrong, and the server is asked whatever it says. */
  #isGuessIdle = false;
  /** How many answers there were when notes were asked for. */
  #notedAt: number | undefined;

  constructor(settings: TurnWindowSettings) {
    this.#settings = settings;
    settings.budget.resume(settings.history, settings.journal.entries);
  }

  get entries(): readonly TranscriptEntry[] {
    return [...this.#settings.history, ...this.#settings.journal.entries];
  }

  /** What the next request takes. */
  get used(): number {
    return this.#settings.budget.used(this.entries);
  }

  /** What the next request takes, for those who decide whether to ask a model. */
  get guess(): number | undefined {
    return this.#isGuessIdle ? undefined : this.used;
  }

  /** Where nothing more can be left out, a model is asked all the same. False: that was done before, since its last answer. */
  askAnyway(): boolean {
    if (this.#isGuessIdle) return false;
    this.#isGuessIdle = true;
    return true;
  }

  /** Why room has to be made before the model is asked; never twice without an answer in between. */
  get due(): CompressionReason | undefined {
    const { journal, budget, compact } = this.#settings;
    if (this.#futileAt === journal.steps) return undefined;
    if (compact && !journal.entries.some(isMade)) return "asked";
    const last = journal.entries.findLastIndex(isMade);
    const hasAnswered = journal.entries.slice(last + 1).some(({ kind }) => kind === "assistant");
    return (last === -1 || hasAnswered) && budget.isFull(this.entries) ? "full" : undefined;
  }

  /** Undefined: there is nothing to win. */
  async make(reason: CompressionReason): Promise<Made | undefined> {
    for (let force = 0; force <= hardest; force += 1) {
      const made = await this.#compress(reason, force);
      if (made !== undefined) return made;
    }
    this.#futileAt = this.#settings.journal.steps;
    return undefined;
  }

  /** A server has said that a request was too long: each time it is tried harder. Undefined: it can't be made any shorter. */
  async makeAfterRefusal(windowTokens: number | undefined): Promise<Made | undefined> {
    const { budget } = this.#settings;
    const tried = this.#triedSinceAnswer();
    budget.refused(this.entries, windowTokens);
    for (let force = tried; force <= hardest; force += 1) {
      const made = await this.#compress("refused", force);
      if (made !== undefined) return { ...made, windowTokens: budget.windowTokens };
    }
    return undefined;
  }

  /**
   * A server has rejected a long request and doesn't say that it is for its length, which some only say in words of their own. Taken as
   * one for length once until the next answer. Undefined: it is short, as long as one that was taken, or was made shorter already.
   */
  async makeAfterRejection(): Promise<Made | undefined> {
    const { budget } = this.#settings;
    const { used } = this;
    if (used < suspicious.leastTokens || used <= this.#mostTaken() || this.#triedSinceAnswer() > 0) return undefined;
    budget.refused(this.entries, undefined);
    const made = await this.#compress("refused", suspicious.force);
    return made && { ...made, windowTokens: budget.windowTokens };
  }

  #mostTaken(): number {
    return Math.max(0, ...this.entries.map((entry) => (entry.kind === "assistant" ? (entry.contextTokens ?? 0) : 0)));
  }

  #triedSinceAnswer(): number {
    const { entries } = this.#settings.journal;
    const answered = entries.findLastIndex(({ kind }) => kind === "assistant");
    return entries.slice(answered + 1).filter((entry) => isMade(entry) && entry.reason === "refused").length;
  }

  /** How full it is once these entries are written too. */
  report(final: readonly TranscriptEntry[]): ContextReport {
    const { budget, promptTokens } = this.#settings;
    const entries = [...this.entries, ...final];
    const { fixedTokens, windowTokens } = budget;
    const toolTokens = fixedTokens - promptTokens;
    return contextReport(entries, { promptTokens, toolTokens, windowTokens, used: budget.used(entries) });
  }

  /** Corrects the guesses by what the server has counted. */
  learn(answer: AssistantEntry): void {
    this.#isGuessIdle = false;
    this.#settings.budget.learn(this.entries, answer);
  }

  async #compress(reason: CompressionReason, force: number): Promise<Made | undefined> {
    const { history, journal, budget, platform, hidesOnDemand, clock, ...deps } = this.#settings;
    const { fixedTokens, windowTokens, answerTokens, resultTokens } = budget;
    const lightTokens = budget.lightTokens(reason === "full");
    const at = journal.entries.findLast((entry) => entry.kind === "user")?.at ?? instantOf(clock.now());
    const sizes = { fixedTokens, windowTokens, answerTokens, resultTokens, lightTokens };
    const input = { ...sizes, history, journal: journal.entries, hidesOnDemand, reason, force, at, platform };
    // Notes are paid for and waited for: only where something is won, and once until the next answer.
    const { notesOn, ...others } = deps;
    const made = await compress(input, others);
    if (made?.kind !== "checkpoint" || notesOn === undefined || this.#notedAt === journal.steps) return made;
    this.#notedAt = journal.steps;
    return (await compress(input, deps)) ?? made;
  }
}

function isMade(entry: TranscriptEntry): entry is Made {
  return entry.kind === "cleared" || entry.kind === "checkpoint";
}
