import { headAt } from "./quoted-heads.ts";

/**
 * What mail programs write before the subject of what is passed on; after the fixtures of crisp-oss/email-forward-parser
 * (0ae6801), and for Greek, Icelandic, Indonesian, Chinese, Japanese, Korean and Hebrew after Wikipedia's "List of email
 * subject abbreviations".
 */
const prefix =
  /^(?:fwd?|wg|rv|tr|i|pd|enc|vb|vl|fs|trs|πρθ|İlt|videresend|redir\.?|redirecționat|továbbítás|doorst|转发|轉寄|転送|전달|הועבר)\s?[:：]/iu;
/** Passed on in Danish and Norwegian, an answer in Finnish. */
const doubtfulPrefix = /^vs\s?[:：]/i;

/** In whatever line marks what is passed on; after the same fixtures. */
const words =
  /forward|weitergeleit|reenviad|r[ée]exp[ée]di|reencaminhad|encaminhad|transf[ée]r[ée]|transmis|inoltrat|doorgestuurd|videresend|vidarebefordra|przekaz|przesłan|přeposlan|preposlan|továbbított|edelleenl|välitetty|redirecțion|proslijeđen|переадрес|пересыла|перенаправл|пересла|пересила|[iİ]letil|[iİ]leti başlangıcı|転送|转发|轉寄|전달|προωθ|chuyển tiếp|diteruskan|הועבר|معاد توجيه/iu;

/** Whether a mail passes another one on, as far as its subject tells. `isOurs`: it stands in a thread with us. */
export function isForwardSubject(subject: string, isOurs: boolean): boolean {
  const start = subject.trimStart().slice(0, 40);
  return prefix.test(start) || (doubtfulPrefix.test(start) && !isOurs);
}

/**
 * Whether a mail that is passed on begins here: `---- Forwarded Message ----` in any language we know, or a line of words
 * that ends in a colon and stands above a mail's head, as Apple Mail writes it.
 */
export function isForwardMark(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? "").replace(/^[>\s]+/, "");
  if (/^-{2,}[^-]/.test(line)) return words.test(line.slice(0, 100)) && /-{2,}/.test(line.slice(3, 100));
  if (line.length > 80 || !/^\p{L}[^@\p{Nd}]*[:：]$/u.test(line)) return false;
  const next = [1, 2, 3].find((offset) => !/^[>\s]*$/.test(lines[at + offset] ?? ""));
  const head = next === undefined ? undefined : headAt(lines, at + next);
  if (head === undefined) return false;
  return words.test(line) ? head.fields.length >= 2 : isQuoted(lines, at) && head.hasMailbox && head.hasMoment;
}

/** The line from which on a mail is passed on: its mark, or else its head. The number of lines where there is neither. */
export function passedOnFrom(lines: readonly string[]): number {
  const at = lines.findIndex((line, n) => line !== "" && (isForwardMark(lines, n) || isHead(lines, n)));
  return at === -1 ? lines.length : at;
}

function isHead(lines: readonly string[], at: number): boolean {
  if (!/[:：]/.test(lines[at] ?? "")) return false;
  const head = headAt(lines, at);
  return head !== undefined && head.fields.length >= 3 && head.hasMoment;
}

function isQuoted(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? "").startsWith(">");
}
