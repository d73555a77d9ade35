import { imagesIn } from "../images.ts";
import type { AssistantEntry, TranscriptEntry } from "../journal.ts";
import { overheardMessage, type RenderPlace, sharedMessage } from "../render-words.ts";
import { escapedText } from "../untrusted-text.ts";
import type { SaidEntry } from "./context-entries.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { renderCheckpoint, saidText } from "./render-checkpoint.ts";

/** What the markup around a text takes. */
const tokensAround = { call: 16, settled: 64, other: 8 };
/** No place takes more. */
const place: RenderPlace = { platform: "a-platform-with-the-longest-name", inbox: true };
/** What a picture takes, whatever its size. */
export const imageTokens = 1_200;

/** What the entries take of a window, with the markup that they are shown in. A guess: see `estimateTokens`. */
export function tokensOf(entries: readonly TranscriptEntry[]): number {
  return entries.reduce((sum, entry) => sum + tokensOfEntry(entry), 0);
}

/** Entries never change, and each is measured before every request. */
const known = new WeakMap<TranscriptEntry, number>();

function tokensOfEntry(entry: TranscriptEntry): number {
  const tokens = known.get(entry) ?? measure(entry);
  known.set(entry, tokens);
  return tokens;
}

function measure(entry: TranscriptEntry): number {
  switch (entry.kind) {
    case "user":
      return tokensOfText(sharedMessage(entry, place)) + imagesIn(entry).length * imageTokens;
    case "assistant":
      return entry.toolCalls.reduce(
        (sum, call) => sum + tokensAround.call + estimateTokens(call.name) + estimateTokens(call.arguments),
        tokensAround.other + estimateTokens(entry.content) + tokensOfState(entry),
      );
    case "tool.result":
      return tokensAround.other + estimateTokens(entry.content) + imagesIn(entry).length * imageTokens;
    case "overheard":
      return tokensOfText(overheardMessage(entry, place));
    case "note":
      return tokensOfText(escapedText(entry.text));
    case "call.settled":
      return (
        tokensAround.settled +
        estimateTokens(escapedText(`${entry.arguments}${entry.brought === undefined ? (entry.content ?? "") : ""}`))
      );
    case "checkpoint":
      return tokensOfText(renderCheckpoint(entry, place));
    case "tool.started":
    case "tool.waiting":
    case "cleared":
      return 0;
    default:
      return entry satisfies never;
  }
}

/** What a provider wants back beside the answer itself, such as what was thought. Its parts may hold the answer once more. */
function tokensOfState({ content, toolCalls, providerState }: AssistantEntry): number {
  const shown = [content, ...toolCalls.flatMap((call) => [call.callId, call.name, call.arguments])];
  const texts = stringsIn(providerState?.data).filter((text) => !shown.some((one) => one.includes(text)));
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** What lies deeper than any provider nests it is not counted. */
function stringsIn(data: unknown, depth = 20): readonly string[] {
  if (typeof data === "string") return [data];
  if (typeof data !== "object" || data === null || depth === 0) return [];
  return Object.values(data).flatMap((one) => stringsIn(one, depth - 1));
}

/** Without the pictures: those of what was said long ago are not shown. */
export function tokensOfSaid(entry: SaidEntry): number {
  return tokensOfText(saidText(entry, place));
}

export function tokensOfLines(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + 1 + estimateTokens(line), 0);
}

function tokensOfText(text: string): number {
  return tokensAround.other + estimateTokens(text);
}
