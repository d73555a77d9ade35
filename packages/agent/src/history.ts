import { isShowable } from "./images.ts";
import type { TranscriptEntry, UserEntry } from "./journal.ts";
import { cutMiddle } from "./text.ts";

const tokensAround = { user: 48, attachment: 32, call: 16, other: 8 };
/** What a picture costs, whatever its size. */
export const imageTokens = 1_200;

/**
 * The newest turns that fit into `historyTokens`. When a turn does not fit any more, the oldest go until half of the
 * budget is free, so that the start stays the same, byte for byte, for many turns. Turns are never split; one that is
 * larger than half of the budget has its texts shortened in the middle.
 *
 * `history` has to begin at the same entry each time: the session's first, or the first of an earlier result.
 */
export function trimHistory(history: readonly TranscriptEntry[], historyTokens: number): readonly TranscriptEntry[] {
  const half = Math.floor(historyTokens / 2);
  const turns = turnsOf(history).map((turn) => fitTurn(turn, half));
  const sizes = turns.map(tokensOf);
  let first = 0;
  let total = 0;
  for (const [index, size] of sizes.entries()) {
    total += size;
    if (total <= historyTokens) continue;
    while (total > half && first < index) {
      total -= sizes[first] ?? 0;
      first += 1;
    }
  }
  return turns.slice(first).flat();
}

/** The entries with each text that alone would need more than a quarter of the budget shortened in its middle. */
export function fitEntries(entries: readonly TranscriptEntry[], historyTokens: number): readonly TranscriptEntry[] {
  const most = Math.floor(historyTokens / 4);
  return entries.map((entry) => fitEntry(entry, most));
}

/** A careful guess: four ASCII characters a token, every other UTF-16 unit a token of its own. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 0x80) ascii += 1;
  return Math.ceil(ascii / 4) + text.length - ascii;
}

/** What the entries cost, with the markup they are shown in. */
export function tokensOf(entries: readonly TranscriptEntry[]): number {
  return entries.reduce((sum, entry) => sum + tokensOfEntry(entry) + tokensOfImages(entry), 0);
}

function tokensOfImages(entry: TranscriptEntry): number {
  return entry.kind === "user" ? entry.attachments.filter(isShowable).length * imageTokens : 0;
}

/** Every text in it that may be shortened. */
function textsOf({ markdown, quote, attachments }: UserEntry): readonly string[] {
  const spoken = attachments.flatMap(({ transcript }) => (transcript === undefined ? [] : [transcript]));
  return [markdown, ...(quote ? [quote.markdown] : []), ...spoken];
}

/** Without its pictures, which can't be shortened. */
function tokensOfEntry(entry: TranscriptEntry): number {
  switch (entry.kind) {
    case "user":
      return textsOf(entry).reduce(
        (sum, text) => sum + tokensAround.user + estimateTokens(text),
        entry.attachments.length * tokensAround.attachment,
      );
    case "assistant":
      return entry.toolCalls.reduce(
        (sum, call) => sum + tokensAround.call + estimateTokens(call.arguments),
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
    case "tool.started":
    case "tool.waiting":
      return 0;
    default:
      return entry satisfies never;
  }
}

/** A turn begins with words of people, or with the answer of a call that waited, that follow a finished answer or a note, never between a call and its result. */
function turnsOf(history: readonly TranscriptEntry[]): readonly (readonly TranscriptEntry[])[] {
  const turns: TranscriptEntry[][] = [];
  let open: TranscriptEntry[] | undefined;
  for (const entry of history) {
    if (open === undefined || (isHeard(entry) && endsTurn(open.at(-1)))) {
      open = [];
      turns.push(open);
    }
    open.push(entry);
  }
  return turns;
}

function isHeard({ kind }: TranscriptEntry): boolean {
  return kind === "user" || kind === "overheard" || kind === "call.settled";
}

function endsTurn(entry: TranscriptEntry | undefined): boolean {
  return entry?.kind === "note" || (entry?.kind === "assistant" && entry.toolCalls.length === 0);
}

function fitTurn(turn: readonly TranscriptEntry[], most: number): readonly TranscriptEntry[] {
  if (tokensOf(turn) <= most) return turn;
  const shortened = shareOut(turn, most);
  return tokensOf(shortened) <= most ? shortened : shareOut(turn.filter(isSaid), most);
}

/** What was said, without the calls and results in between. */
function isSaid(entry: TranscriptEntry): boolean {
  return isHeard(entry) || entry.kind === "note" || (entry.kind === "assistant" && entry.toolCalls.length === 0);
}

function shareOut(turn: readonly TranscriptEntry[], most: number): readonly TranscriptEntry[] {
  const share = Math.floor(most / Math.max(1, turn.filter((entry) => entry.kind !== "tool.started").length));
  return turn.map((entry) => fitEntry(entry, share));
}

function fitEntry(entry: TranscriptEntry, most: number): TranscriptEntry {
  if (tokensOfEntry(entry) <= most) return entry;
  switch (entry.kind) {
    case "user": {
      const parts = textsOf(entry).length;
      const room = Math.floor(
        (most - tokensAround.user * parts - entry.attachments.length * tokensAround.attachment) / parts,
      );
      const quote = entry.quote && { quote: { ...entry.quote, markdown: fitText(entry.quote.markdown, room) } };
      const attachments = entry.attachments.map((one) =>
        one.transcript === undefined ? one : { ...one, transcript: fitText(one.transcript, room) },
      );
      const markdown = fitText(entry.markdown, room);
      return { ...entry, markdown, attachments, ...quote, ...fitValues(entry, markdown) };
    }
    case "assistant": {
      const { toolCalls } = entry;
      const room = Math.floor(
        (most - tokensAround.other - tokensAround.call * toolCalls.length) / (toolCalls.length + 1),
      );
      return {
        ...entry,
        content: fitText(entry.content, room),
        toolCalls: toolCalls.map((call) => ({ ...call, arguments: fitArguments(call.arguments, room) })),
      };
    }
    case "tool.result":
      return { ...entry, content: fitText(entry.content, most - tokensAround.other) };
    case "overheard":
      return { ...entry, markdown: fitText(entry.markdown, most - tokensAround.user) };
    case "note":
      return { ...entry, text: fitText(entry.text, most - tokensAround.other) };
    case "call.settled":
      return { ...entry, arguments: fitArguments(entry.arguments, most - tokensAround.other) };
    case "tool.started":
    case "tool.waiting":
      return entry;
    default:
      return entry satisfies never;
  }
}

/** Once words are cut out nobody can tell whose the rest is, so all of it counts as somebody else's. */
function fitValues({ markdown, values }: UserEntry, shortened: string): Pick<UserEntry, "values"> {
  if (values === undefined || shortened === markdown) return {};
  return { values: [{ name: "shortened", start: 0, end: shortened.length }] };
}

function fitText(text: string, most: number): string {
  let shortened = text;
  for (
    let chars = Math.max(0, most) * 4;
    estimateTokens(shortened) > Math.max(0, most);
    chars = Math.floor(chars / 2)
  ) {
    shortened = cutMiddle(text, chars);
  }
  return shortened;
}

/** Arguments stay one JSON object, since servers parse them again. */
function fitArguments(text: string, most: number): string {
  return estimateTokens(text) <= most ? text : JSON.stringify({ left_out: `${text.length} characters` });
}
