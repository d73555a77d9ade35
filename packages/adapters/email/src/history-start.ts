import { attributionEndingAt } from "./attributions.ts";
import { isForwardMark, isForwardSubject } from "./forwards.ts";
import { headAt } from "./quoted-heads.ts";
import { isQuote, type Quotes, quotesOf, unquoted } from "./quoted-lines.ts";
import type { QuotedThread } from "./quoted-thread.ts";
import { hasUnknownPrefix, plainSubject, saysAnswer } from "./subjects.ts";

/**
 * `----Original Message----` in the languages of which it is known; after the patterns of crisp-oss/email-reply-parser
 * (0b3704c), mailgun/talon (71d9b6e) and discourse/email_reply_trimmer (117fd1a).
 */
const original =
  /^[>*\s]*-{1,}\s*(?:original message|reply message|original-nachricht|ursprüngliche nachricht|antwort nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|oprindelig (?:besked|meddelelse)|opprinnelig melding|originalmeddelande|ursprungligt meddelande|alkuperäinen viesti|mensagem original|(?:wiadomość oryginalna|oryginalna wiadomość)|původní zpráva|pôvodná správa|eredeti üzenet|mesaj original|исходное сообщение|оригінальне повідомлення|özgün ileti|orijinal mesaj|原始邮件|原始郵件|元のメッセージ|원본 메(?:시|세)지|reply above this line)\s*-*[*\s]*$/iu;
/** All that begins a history, or ends the line that begins it, has a colon or begins with a dash. */
const mayMatter = /^[>\s]*-|[:：]/;
/** No mail that people write has more such lines above its history. */
const mostLooks = 3_000;
const outlookRule = /^_{20,}$/;
const rule = /^(?:[_=*—]{5,}|-{5,})$/;
/**
 * What stands before the author, for mails whose subject has changed; after crisp-oss/email-forward-parser (0ae6801) and
 * discourse/email_reply_trimmer (117fd1a).
 */
const from =
  /^(?:from|od|fra|von|de|lähettäjä|šalje|feladó|da|van|expeditorul|de la|от|отправитель|від|från|kimden|gönderen|mittente|nadawca|expéditeur|remitente|remetente|发件人|寄件者|差出人|送信元|보낸 ?사람|από|מאת|من|จาก|từ|dari)$/iu;
/** Words between dashes, whatever they say. */
const ruledWords = /^-{3,}\s*\p{L}[\p{L}\p{M} '’./-]{2,40}-{3,}$/u;

export interface HistoryStart {
  /** The first line of the history. */
  readonly at: number;
  /** No person writes so. */
  readonly isSure: boolean;
}

/** Where the quoted history begins; undefined where there is none. `forward`: what follows is passed on, so it is no history. */
export function historyStart(lines: readonly string[], thread: QuotedThread): HistoryStart | "forward" | undefined {
  if (isForwardSubject(thread.subject, thread.isOurs)) return "forward";
  const about = { ...thread, isAnswer: thread.isAnswer || saysAnswer(thread.subject) };
  const quotes = quotesOf(lines);
  for (let at = 0, looks = 0; at < lines.length && looks < mostLooks; at += 1) {
    if (!mayMatter.test(lines[at] ?? "")) continue;
    looks += 1;
    if (isForwardMark(lines, at)) return "forward";
    const start = startAt(lines, at, about, quotes);
    if (start !== undefined) return start;
  }
  return trailingQuote(lines, about);
}

function startAt(lines: readonly string[], at: number, thread: QuotedThread, quotes: Quotes): HistoryStart | undefined {
  const line = lines[at] ?? "";
  if (line.startsWith("-") && original.test(line.slice(0, 100))) return { at, isSure: true };
  return attributed(lines, at, thread, quotes) ?? (isQuote(line) ? undefined : underHead(lines, at, thread));
}

function attributed(
  lines: readonly string[],
  last: number,
  { isAnswer }: QuotedThread,
  quotes: Quotes,
): HistoryStart | undefined {
  const found = attributionEndingAt(lines, last);
  if (found === undefined) return undefined;
  const { start: at, end, isNamed, isFull, saysWrote, mayStandAlone } = found;
  // What somebody quotes from elsewhere has no address above it.
  if (quotes.isQuotedFrom(end) && (isAnswer ? isFull || saysWrote : isFull && isNamed)) return { at, isSure: isFull };
  return quotes.isUnquotedFrom(end) && mayStandAlone && isAnswer ? { at, isSure: isNamed } : undefined;
}

/**
 * Whether a head stands above what is answered. People write such lines, too, and forms have them: so the mail has to be an
 * answer, and the head has to fit to it.
 */
function underHead(lines: readonly string[], at: number, thread: QuotedThread): HistoryStart | undefined {
  if (!thread.isAnswer || (!thread.isOurs && hasUnknownPrefix(thread.subject))) return undefined;
  const head = headAt(lines, at);
  if (head === undefined || !head.hasMoment) return undefined;
  const ruleAt = ruleAbove(lines, at);
  const start = ruleAt ?? at;
  const { fields, hasMailbox } = head;
  if (fields.length < (ruleAt === undefined ? 3 : 2)) return undefined;
  const namesUs = fields.some(({ value }) => value.toLowerCase().includes(thread.address));
  const isFrom = fields.slice(0, 2).some(({ label }) => from.test(label));
  if (isFrom && (hasMailbox || namesUs)) return { at: start, isSure: true };
  const subject = plainSubject(thread.subject);
  // The subject stands below author and date, also where Outlook writes names alone, as it does within a company.
  const isSubject = subject !== "" && fields.slice(2).some(({ value }) => plainSubject(value) === subject);
  if (isSubject) return { at: start, isSure: isFrom };
  const isOutlook = outlookRule.test(lines[ruleAt ?? -1] ?? "");
  return hasMailbox && (namesUs || isOutlook) ? { at: start, isSure: false } : undefined;
}

/** The rule or the ruled words right above a line. */
function ruleAbove(lines: readonly string[], at: number): number | undefined {
  const above = lines[at - 1] === "" ? at - 2 : at - 1;
  const line = (lines[above] ?? "").slice(0, 200);
  return rule.test(line) || ruledWords.test(line) ? above : undefined;
}

/** A quote at the end without a word of who wrote it: history where the mail is an answer and nothing leads up to the quote. */
function trailingQuote(lines: readonly string[], thread: QuotedThread): HistoryStart | undefined {
  let at = lines.length;
  while (at > 0 && (lines[at - 1] === "" || isQuote(lines[at - 1] ?? ""))) at -= 1;
  const quote = lines.slice(at).filter((line) => line !== "");
  if (quote.length === 0) return undefined;
  if (isAttributed(quote.map(unquoted))) return { at, isSure: true };
  const leadsUp = /[:：]$/.test(lines[at - 1] ?? "");
  return thread.isAnswer && !leadsUp ? { at, isSure: false } : undefined;
}

/** Within Gmail's HTML the attribution is a part of the quote. */
function isAttributed(quote: readonly string[]): boolean {
  const first = quote.findIndex((line) => line !== "");
  return [0, 1, 2, 3].some((offset) => {
    const attribution = attributionEndingAt(quote, first + offset);
    return attribution?.isFull === true && attribution.start <= first;
  });
}
