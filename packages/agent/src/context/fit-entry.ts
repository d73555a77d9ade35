import type { OverheardEntry, UserEntry, WholeWords } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
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
      return fitWords(entry, most, whole);
    case "tool.result":
      return keeping(entry, "content", fitText(entry.content, most));
    case "overheard":
      return fitOverheard(entry, most, whole);
    default:
      return entry;
  }
}

/** The same entry where it fits, else shortened, with a note that says where `whole` of it stands, which counts as well. */
export function fitWords(entry: UserEntry, most: number, whole?: WholeWords): UserEntry {
  return withNote(entry, most, whole, fitUser);
}

export function fitOverheard(entry: OverheardEntry, most: number, whole?: WholeWords): OverheardEntry {
  return withNote(entry, most, whole, (one, room) =>
    keeping(one, "markdown", fitText(one.markdown, room, escapedText)),
  );
}

/** Of less of a text than the note takes nothing can be understood. */
function withNote<Words extends UserEntry | OverheardEntry>(
  entry: Words,
  most: number,
  whole: WholeWords | undefined,
  fit: (entry: Words, room: number) => Words,
): Words {
  const takenBy = (noted: WholeWords | undefined) => (noted === undefined ? 0 : estimateTokens(wholeNote(noted)));
  const fitted = fit(entry, most - takenBy(entry.whole));
  const noted = entry.whole ?? whole;
  const left = most - takenBy(noted);
  if (fitted === entry || noted === undefined || left < takenBy(noted)) return fitted;
  return { ...fit(entry, left), whole: noted };
}

/** Half of the room at least is for what was written, the rest for what was quoted and spoken. */
function fitUser(entry: UserEntry, most: number): UserEntry {
  const others = [entry.quote?.markdown, ...entry.attachments.map(({ transcript }) => transcript)];
  const texts = others.filter((text) => text !== undefined);
  const beside = texts.reduce((sum, text) => sum + tokensShown(text), 0);
  const markdown = fitText(entry.markdown, Math.max(most / 2, most - beside), escapedText);
  const each = (most - tokensShown(markdown)) / Math.max(1, texts.length);
  const fit = (text: string) => fitText(text, each, escapedText);
  const quote = entry.quote && { quote: keeping(entry.quote, "markdown", fit(entry.quote.markdown)) };
  const attachments = entry.attachments.map((one) =>
    one.transcript === undefined ? one : keeping(one, "transcript", fit(one.transcript)),
  );
  const isCut = quote?.quote !== entry.quote || attachments.some((one, index) => one !== entry.attachments[index]);
  if (markdown === entry.markdown) return isCut ? { ...entry, attachments, ...quote } : entry;
  const { values, ...rest } = entry;
  // Once words are cut out nobody can tell whose the rest is, so all of it counts as somebody else's.
  const all = values === undefined ? {} : { values: [{ name: "shortened", start: 0, end: markdown.length }] };
  return { ...rest, markdown, attachments, ...quote, ...all };
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
