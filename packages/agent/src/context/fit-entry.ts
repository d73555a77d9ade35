import type { EntryAttachment, OverheardEntry, UserEntry, WholeWords } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
import { sentWith } from "../media.ts";
import { wholeNote } from "../render-words.ts";
import { cutMiddle } from "../text.ts";
import { escapedText } from "../untrusted-text.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/**
 * The entry with each of its texts shortened in the middle to `most` tokens. What the model itself has written stays as it is: a call
 * that was cut would be a pattern to follow.
 */
export function fitEntry(entry: TranscriptEntry, most: number, whole?: WholeWords): TranscriptEntry {
  switch (entry.kind) {
    case "user":
    case "overheard":
      return fitWords(entry, most, whole);
    case "tool.result":
      return keeping(entry, "content", fitText(entry.content, most));
    default:
      return entry;
  }
}

/**
 * The same entry where it fits, else shortened, with a note that says where `whole` of it stands, which counts as well. Of less of a text
 * than the note takes nothing can be understood.
 */
export function fitWords<Words extends UserEntry | OverheardEntry>(
  entry: Words,
  most: number,
  whole?: WholeWords,
): Words {
  const takenBy = (noted: WholeWords | undefined) => (noted === undefined ? 0 : estimateTokens(wholeNote(noted)));
  const fitted = fitTexts(entry, most - takenBy(entry.whole));
  const noted = entry.whole ?? whole;
  const left = most - takenBy(noted);
  if (fitted === entry || noted === undefined || left < takenBy(noted)) return fitted;
  return { ...fitTexts(entry, left), whole: noted };
}

/** Half of the room at least is for what was written, the rest for what was quoted and spoken. */
function fitTexts<Words extends UserEntry | OverheardEntry>(entry: Words, most: number): Words {
  const { quote } = entry;
  const others = [quote?.markdown, ...sentWith(entry).map(({ transcript }) => transcript)];
  const texts = others.filter((text) => text !== undefined);
  const beside = texts.reduce((sum, text) => sum + tokensShown(text), 0);
  const markdown = fitText(entry.markdown, Math.max(most / 2, most - beside), escapedText);
  const each = (most - tokensShown(markdown)) / Math.max(1, texts.length);
  const fit = (text: string) => fitText(text, each, escapedText);
  const shorter = {
    ...withFiles(entry, fit),
    ...(quote && { quote: keeping(withFiles(quote, fit), "markdown", fit(quote.markdown)) }),
  };
  const isCut = shorter.quote !== quote || shorter.attachments !== entry.attachments;
  if (markdown === entry.markdown) return isCut ? shorter : entry;
  if (entry.kind !== "user" || entry.values === undefined) return { ...shorter, markdown };
  // Once words are cut out nobody can tell whose the rest is, so all of it counts as somebody else's.
  return { ...shorter, markdown, values: [{ name: "shortened", start: 0, end: markdown.length }] };
}

function withFiles<Words extends { readonly attachments?: readonly EntryAttachment[] }>(
  words: Words,
  fit: (text: string) => string,
): Words {
  const { attachments = [] } = words;
  const shorter = attachments.map((one) =>
    one.transcript === undefined ? one : keeping(one, "transcript", fit(one.transcript)),
  );
  return shorter.every((one, index) => one === attachments[index]) ? words : { ...words, attachments: shorter };
}

/** At most `most` tokens of a text, its beginning and its end. `shown`: how it is written down, such as escaped. */
export function fitText(text: string, most: number, shown = asItIs): string {
  return cutMiddle(text, charsWithin(text, most, shown));
}

/** How many characters of a text can be shown in so many tokens, at most its length. */
export function charsWithin(text: string, tokens: number, shown = asItIs): number {
  const room = Math.max(0, tokens);
  const measure = (most: number) => estimateTokens(shown(cutMiddle(text, most)));
  let chars = text.length;
  for (let taken = measure(chars); taken > room && chars > 0; taken = measure(chars)) {
    chars = Math.min(chars - 1, Math.floor(chars * Math.min(0.95, room / taken)));
  }
  return Math.max(0, chars);
}

function tokensShown(text: string): number {
  return estimateTokens(escapedText(text));
}

function asItIs(text: string): string {
  return text;
}

/** The same object where nothing changes, since what was measured once is known by it. */
function keeping<Entry extends object, Key extends keyof Entry>(entry: Entry, key: Key, value: Entry[Key]): Entry {
  return entry[key] === value ? entry : { ...entry, [key]: value };
}
