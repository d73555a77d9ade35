import { namesMailbox } from "./quoted-heads.ts";
import { unquoted } from "./quoted-lines.ts";
import { hasDay, hasMoment, hasTime } from "./readable-dates.ts";

/** The line or lines that say who wrote what is quoted below. */
export interface Attribution {
  readonly start: number;
  /** The line behind it. */
  readonly end: number;
  /** Its author stands there with an address in brackets. */
  readonly isNamed: boolean;
  readonly saysWrote: boolean;
  /** So much that no person writes it: an address in brackets and the moment, or two of address, date and a word for "wrote". */
  readonly isFull: boolean;
  /** What is not quoted below it may be history, too: it begins like a program's line and names the moment and the author. */
  readonly mayStandAlone: boolean;
}

/** Programs break a long line into so many. */
const mostLines = 4;
const longest = 500;
/** and none that is shorter. */
const shortestBroken = 25;
/** A program's line has the date, or a time, among its first words. */
const earlyWords = 8;

/**
 * "wrote", as far as programs are known to write it: after the patterns and fixtures of mailgun/talon (71d9b6e),
 * crisp-oss/email-reply-parser (0b3704c), discourse/email_reply_trimmer (117fd1a) and closeio/quotequail (6969bff).
 */
const wrote =
  /\b(?:wrote|writes|schrieb|geschrieben|a écrit|escribi[óo]|ha scritto|schreef|geschreven|escreveu|skrev|kirjoitti|napisał|napsal|napísal|a scris|menulis|va escriure|napisao|írta|yazdı|đã viết)(?!\p{L})|пише|написал|писал|έγραψε|写道|寫道|작성|のメッセージ|เขียน|כתב|كتب|تمت كتابة/iu;

/** The attribution whose last line this is. `undefined` for all other lines, and most cost no more than a look at their end. */
export function attributionEndingAt(lines: readonly string[], last: number): Attribution | undefined {
  const ending = lines[last] ?? "";
  if (/^-{2,}.*-{2,}$/.test(ending.slice(0, longest))) return ruledAttribution(ending, last);
  if (!/(?:[:：]|\bwrote)$/.test(ending) || ending.length > longest) return undefined;
  let found: Attribution | undefined;
  let text = "";
  for (let start = last; start >= 0 && last - start < mostLines; start -= 1) {
    const line = lines[start] ?? "";
    if (line === "" || text.length + line.length > longest || (found !== undefined && !mayGoOn(line))) break;
    text = text === "" ? unquoted(line) : `${unquoted(line)} ${text}`;
    const weight = weigh(text);
    if (weight !== undefined && bringsMore(line, weight, found)) found = { ...weight, start, end: last + 1 };
    if (found?.isFull && hasDay(text)) break;
  }
  return found;
}

/** A short last line, `wrote:` say, is enough; what stands above belongs to it if it brings the date or the author. */
function bringsMore(line: string, weight: Weight, found: Weight | undefined): boolean {
  return found === undefined || hasDay(line) || (weight.isFull && !found.isFull);
}

/** Whether a line may be the beginning of a line that a program has broken, and is no sentence. */
function mayGoOn(line: string): boolean {
  return /[,<>()]$/.test(line) || (line.length >= shortestBroken && !/(?:[!?…。:：]|[^\p{Nd}]\.)$/u.test(line));
}

type Weight = Omit<Attribution, "start" | "end">;

function weigh(text: string): Weight | undefined {
  const isNamed = namesMailbox(text);
  const isDated = hasDay(text) || hasTime(text);
  const saysWrote = wrote.test(text);
  if (!saysWrote && !(isDated && isNamed) && !hasMoment(text)) return undefined;
  const opening = text.split(" ", earlyWords).join(" ");
  return {
    isNamed,
    saysWrote,
    isFull: [isNamed, isDated, saysWrote].filter(Boolean).length >= 2,
    mayStandAlone: hasMoment(text) && (isNamed || saysWrote) && (hasDay(opening) || hasTime(opening)),
  };
}

/** `---- On Wed, 24 Feb 2021 14:02:50 +0530 ada@people.test wrote ----`, as Zoho writes it. */
function ruledAttribution(line: string, at: number): Attribution | undefined {
  const isNamed = line.includes("@");
  const saysWrote = wrote.test(line);
  if (!hasMoment(line) || !(isNamed || saysWrote)) return undefined;
  return { start: at, end: at + 1, isNamed, saysWrote, isFull: true, mayStandAlone: true };
}
