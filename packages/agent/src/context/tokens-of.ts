import type { UserEntry } from "../entries-of-people.ts";
import { isShowable } from "../images.ts";
import type { TranscriptEntry } from "../journal.ts";
import type { CheckpointEntry, SaidEntry } from "./context-entries.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** What the markup around a text takes. */
export const tokensAround = { user: 48, attachment: 32, call: 16, other: 8 };
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
      return tokensOfWords(entry) + entry.attachments.filter(isShowable).length * imageTokens;
    case "assistant":
      return entry.toolCalls.reduce(
        (sum, call) => sum + tokensAround.call + estimateTokens(call.name) + estimateTokens(call.arguments),
        tokensAround.other + estimateTokens(entry.content),
      );
    case "tool.result":
      return tokensAround.other + estimateTokens(entry.content);
    case "overheard":
      return tokensAround.user + estimateTokens(entry.markdown);
    case "note":
      return tokensAround.other + estimateTokens(entry.text);
    case "call.settled":
      return tokensAround.other + estimateTokens(entry.arguments);
    case "checkpoint":
      return tokensOfCheckpoint(entry);
    case "tool.started":
    case "tool.waiting":
    case "cleared":
      return 0;
    default:
      return entry satisfies never;
  }
}

/** Without the pictures: those of what was said long ago are not shown. */
export function tokensOfSaid(entry: SaidEntry): number {
  if (entry.kind === "user") return tokensOfWords(entry);
  const text = entry.kind === "replied" ? entry.text : entry.markdown;
  return tokensAround.user + estimateTokens(text);
}

export function tokensOfLines(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + 1 + estimateTokens(line), 0);
}

function tokensOfWords({ markdown, quote, attachments }: UserEntry): number {
  const spoken = attachments.flatMap(({ transcript }) => (transcript === undefined ? [] : [transcript]));
  const texts = [markdown, ...(quote ? [quote.markdown] : []), ...spoken];
  return texts.reduce(
    (sum, text) => sum + tokensAround.user + estimateTokens(text),
    attachments.length * tokensAround.attachment,
  );
}

/** Headings, and what names the files. */
const tokensAroundState = 300;

function tokensOfCheckpoint(entry: CheckpointEntry): number {
  const { said, plan = "", files, commands, open, calls, notes = "", known } = entry;
  const lines = [plan, notes, ...open.map(({ shown }) => shown), ...calls];
  const done = [
    ...files.map(({ path, digest = "" }) => `changed ${path} ${digest}`),
    ...commands.map(({ command, end }) => `$ ${command} -> ${end}`),
    ...known.flatMap(({ name }) => (name === undefined ? [] : [`${name}, application/octet-stream, 1234567 bytes`])),
  ];
  return said.reduce((sum, one) => sum + tokensOfSaid(one), tokensAroundState + tokensOfLines([...lines, ...done]));
}
