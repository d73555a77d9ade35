import { cutEnd, type TranscriptEntry, type UserEntry } from "@talaria/agent";
import { type EventId, type Instant, isAtLeast, type Role, type Sender } from "@talaria/protocol";

/** A pasted text is seldom about whoever pasted it. */
const mostLineChars = 2_000;
const mostAnswerChars = 500;
/** What all that is read may have, the newest first. */
const mostChars = 24_000;

/** An entry that a pass goes through. */
export interface PassEntry {
  readonly entry: TranscriptEntry;
  /** When it was written down. */
  readonly at: Instant;
}

/** What somebody wrote themselves and may teach by. */
export interface PassLine {
  /** What the model calls it by, from 1. */
  readonly n: number;
  readonly sender: Sender;
  readonly role: Role;
  readonly words: string;
  readonly at: Instant;
  readonly eventId: EventId;
}

/** An answer of the agent, which teaches nothing itself. */
export interface PassAnswer {
  readonly words: string;
}

/**
 * What a pass reads of these entries: the words of people who may teach, the newest that have room, oldest first. Of what others wrote, said
 * to others, quoted, forwarded or sent as a file, nothing. With `answers`, what the agent has said in between.
 */
export function passLines(entries: readonly PassEntry[], answers: boolean): readonly (PassLine | PassAnswer)[] {
  let room = mostChars;
  const found: (Omit<PassLine, "n"> | PassAnswer)[] = [];
  for (const { entry, at } of entries.toReversed()) {
    const line = lineOf(entry, at, answers);
    if (line === undefined) continue;
    room -= line.words.length + 1;
    if (room < 0) break;
    found.push(line);
  }
  let n = 0;
  return found.toReversed().map((line) => {
    if (!("sender" in line)) return line;
    n += 1;
    return { n, ...line };
  });
}

export function isPassLine(line: PassLine | PassAnswer): line is PassLine {
  return "n" in line;
}

/** Whether somebody's words teach anything: not those of guests, of machines, or of whom nobody knows for certain. */
export function mayTeach({ sender, role = "guest" }: { readonly sender: Sender; readonly role?: Role }): boolean {
  if (sender.role !== "person" || sender.assurance === "claimed" || sender.mandate !== undefined) return false;
  return isAtLeast(role, "member");
}

function lineOf(entry: TranscriptEntry, at: Instant, answers: boolean): Omit<PassLine, "n"> | PassAnswer | undefined {
  if (entry.kind === "assistant") {
    const words = answers ? onOneLine(entry.content, mostAnswerChars) : "";
    return words === "" ? undefined : { words };
  }
  if (entry.kind !== "user" || entry.pressed === true || !mayTeach(entry)) return undefined;
  const words = onOneLine(ownWords(entry), mostLineChars);
  const { sender, role = "guest", eventId } = entry;
  return words === "" ? undefined : { sender, role, words, at, eventId };
}

/** Adapters mark what is forwarded at the beginning of a line. Nobody can tell where it ends, so that all of the message goes. */
const forwarded = /^\[forwarded\b[^\]\n]*\]/m;
const quotedLine = /^\s*(?:>|&gt;).*$/gm;

function ownWords({ markdown, values = [] }: UserEntry): string {
  if (forwarded.test(markdown)) return "";
  const others = values.toSorted((one, other) => other.start - one.start);
  return others
    .reduce((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, markdown)
    .replace(quotedLine, "");
}

/** Nothing in it reads as a line of its own. */
function onOneLine(text: string, most: number): string {
  return cutEnd(text.replace(/[\s\u0085]+/g, " ").trim(), most);
}
