import type { EntryAttachment, OverheardEntry, UserEntry, WholeWords } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
import { escapedText } from "../untrusted-text.ts";
import type { SaidEntry } from "./context-entries.ts";
import { fitText, fitWords } from "./fit-entry.ts";
import { shareOf } from "./kept-step.ts";
import { tokensOfSaid } from "./tokens-of.ts";

/** What is answered takes at most this share of the room for all. */
const askedShare = 0.6;
const mostReplyTokens = 300;
/** What is answered, and what was answered last, have so many in any case; what is shortened has so many, or is left out. */
const leastTokens = { asked: 400, replied: 100, shortened: 160 };
/** What stands around a text: who has said it, and when. */
const tokensAround = { words: 100, reply: 14 };

/** Where a text stands whole. */
export type WholeOf = (entry: UserEntry | OverheardEntry) => WholeWords | undefined;

export interface KeptSaid {
  readonly kept: readonly SaidEntry[];
  readonly dropped: number;
  readonly tokens: number;
}

/**
 * What was said, as much as has room, oldest first. The newest words of somebody who asks and the newest answer always stand there. Of the
 * rest what is short stays as it is and what is long is shortened, so that nobody's short word goes for somebody's long one. Where that is
 * still too much, the first words of all stay, then what people wrote, the newest first, before what others talked and was answered.
 */
export function keepSaid(entries: readonly TranscriptEntry[], room: number, wholeOf: WholeOf): KeptSaid {
  const said = saidIn(entries);
  const asked = said.findLastIndex(({ kind }) => kind === "user");
  const replied = said.findLastIndex(({ kind }) => kind === "replied");
  const fixed = new Map<number, SaidEntry>();
  const fix = (index: number, most: number) => {
    const one = said[index];
    if (one !== undefined) fixed.set(index, fitSaid(one, most, wholeOf));
  };
  fix(asked, Math.max(leastTokens.asked, Math.floor(room * askedShare)));
  fix(replied, Math.max(leastTokens.replied, Math.min(mostReplyTokens, Math.floor(room * askedShare))));
  const taken = [...fixed.values()].reduce((sum, one) => sum + tokensOfSaid(one), 0);
  const others = inOrder(said, asked).filter((index) => !fixed.has(index));
  const sizes = others.map((index) => sizeOf(said[index] as SaidEntry));
  const each = Math.max(leastTokens.shortened, shareOf(sizes, room - taken));
  let left = room - taken;
  const shown = new Map(fixed);
  for (const index of others) {
    const one = said[index] as SaidEntry;
    const fitted = left <= 0 ? one : fitSaid(one, each, wholeOf);
    const tokens = tokensOfSaid(fitted);
    if (tokens > left || (textOf(fitted) === "" && textOf(one) !== "")) continue;
    left -= tokens;
    shown.set(index, fitted);
  }
  const kept = [...shown].toSorted(([one], [other]) => one - other).map(([, entry]) => entry);
  return { kept, dropped: said.length - kept.length, tokens: room - left };
}

/** The places of what was said, what matters most in front. */
function inOrder(said: readonly SaidEntry[], asked: number): readonly number[] {
  const first = said.findIndex(({ kind }) => kind === "user");
  const newestFirst = said.map((_, index) => index).reverse();
  const isWords = (index: number) => said[index]?.kind === "user";
  return [
    ...newestFirst.filter((index) => index === first),
    ...newestFirst.filter((index) => index > asked && index !== first),
    ...newestFirst.filter((index) => index < asked && index !== first && isWords(index)),
    ...newestFirst.filter((index) => index < asked && index !== first && !isWords(index)),
  ];
}

function sizeOf(one: SaidEntry): number {
  const tokens = tokensOfSaid(one);
  return one.kind === "replied" ? Math.min(tokens, mostReplyTokens) : tokens;
}

function textOf(one: SaidEntry | undefined): string | undefined {
  return one?.kind === "replied" ? one.text : one?.markdown;
}

function fitSaid(entry: SaidEntry, most: number, wholeOf: WholeOf): SaidEntry {
  const room = Math.max(0, most - (entry.kind === "replied" ? tokensAround.reply : tokensAround.words));
  if (entry.kind !== "replied") return fitWords(withFewerFiles(entry, room / 2), room, wholeOf(entry));
  return { kind: "replied", text: fitText(entry.text, Math.min(room, mostReplyTokens), escapedText) };
}

/** What has no room here is among the files of the conversation. */
function withFewerFiles<Words extends UserEntry | OverheardEntry>(entry: Words, room: number): Words {
  const own = keepingFewer(entry, entry, room);
  const { quote } = own;
  if (quote === undefined) return own;
  const fewer = keepingFewer(quote, own, room);
  return fewer === quote ? own : { ...own, quote: fewer };
}

/** So many of the files of a text as their lines take no more than `room`. */
function keepingFewer<Words extends { readonly attachments?: readonly EntryAttachment[] }>(
  words: Words,
  { sender, at }: UserEntry | OverheardEntry,
  room: number,
): Words {
  const { attachments = [] } = words;
  const bare = { kind: "overheard", sender, at, markdown: "" } as const;
  const around = tokensOfSaid(bare);
  let files = attachments.length;
  const lines = () => tokensOfSaid({ ...bare, attachments: attachments.slice(0, files).map(silent) });
  while (files > 0 && lines() - around > room) files = Math.floor(files / 2);
  return files === attachments.length ? words : { ...words, attachments: attachments.slice(0, files) };
}

function silent({ transcript: _, ...file }: EntryAttachment): EntryAttachment {
  return file;
}

function saidIn(entries: readonly TranscriptEntry[]): readonly SaidEntry[] {
  return entries.flatMap((entry): readonly SaidEntry[] => {
    if (entry.kind === "checkpoint") return entry.said;
    if (entry.kind === "user" || entry.kind === "overheard") return [entry];
    const isReply = entry.kind === "assistant" && entry.toolCalls.length === 0 && entry.content.trim() !== "";
    return isReply ? [{ kind: "replied", text: entry.content }] : [];
  });
}
