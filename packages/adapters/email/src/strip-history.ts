/** A line that begins what a program quotes below the answer: some name, some date, "wrote:". */
const attributions: readonly RegExp[] = [
  /^On\b.{0,300}\bwrote:$/,
  /^Am\b.{0,300}\bschrieb\b.{0,200}:$/,
  /^Le\b.{0,300}\ba écrit\s?:$/,
  /^El\b.{0,300}\bescribió:$/,
  /^Il\b.{0,300}\bha scritto:$/,
  /^Op\b.{0,300}\bschreef\b.{0,200}:$/,
  /^(?:Em|No)\b.{0,300}\bescreveu:$/,
  /^Den\b.{0,300}\bskrev\b.{0,200}:$/,
  /^\d{4}[-/.年].{0,200}(?:<[^>]+@[^>]+>).{0,40}:$/,
];

/** How every attribution begins. Most lines do not, and cost no more than this. */
const attributionBegins = /^(?:(?:On|Am|Le|El|Il|Op|Em|No|Den)\b|\d{4}[-/.年])/;

const separators: readonly RegExp[] = [
  /^-{2,}\s*(?:Original Message|Original-Nachricht|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht)\s*-{2,}$/i,
  /^-{5,}\s*Reply above this line\s*-{5,}$/i,
];

/** The head of what Outlook quotes: at least three of these in a row, in any of these languages. */
const outlookField =
  /^\*?(?:From|Sent|To|Cc|Date|Subject|Von|Gesendet|An|Datum|Betreff|De|Envoyé|À|Objet|Enviado|Para|Asunto|Da|Inviato|A|Oggetto|Van|Verzonden|Aan|Onderwerp)\s?:\*?\s?\S/i;

const mobileSignatures: readonly RegExp[] = [
  /^(?:Sent|Get Outlook) (?:from my |from |for ).{0,60}$/i,
  /^Von meinem .{1,40} gesendet\.?$/i,
  /^Gesendet von (?:Mail|Outlook|meinem) .{0,40}$/i,
  /^Envoyé (?:de|depuis) mon .{1,40}$/i,
  /^Enviado desde mi .{1,40}$/i,
];

/**
 * What the sender wrote this time: without the history that their program quotes at the end, and without the signature.
 * A quote between the lines stays, marked with `>`, because the words around it answer it. When nothing would be left,
 * the text stays as it is.
 */
export function stripHistory(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const end = historyStart(lines);
  const own = withoutSignature(lines.slice(0, withoutTrailingQuote(lines, end)));
  const kept = own.join("\n").trim();
  return kept === "" ? text.trim() : kept;
}

/** The first line of the quoted history, or the number of lines. */
function historyStart(lines: readonly string[]): number {
  const isQuotedToTheEnd = quotesBehind(lines);
  for (let at = 0; at < lines.length; at += 1) {
    const line = bare(lines, at);
    if (line.startsWith("-") && separators.some((separator) => separator.test(line))) return at;
    if (isOutlookHead(lines, at)) return at > 0 && /^_{5,}$/.test(bare(lines, at - 1)) ? at - 1 : at;
    if (!attributionBegins.test(line)) continue;
    // A long attribution is broken into two lines, seldom three.
    const joined = [line, `${line} ${bare(lines, at + 1)}`, `${line} ${bare(lines, at + 1)} ${bare(lines, at + 2)}`];
    const taken = joined.findIndex((candidate) => attributions.some((attribution) => attribution.test(candidate)));
    if (taken !== -1 && isQuotedToTheEnd(at + taken + 1)) return at;
  }
  return lines.length;
}

function bare(lines: readonly string[], at: number): string {
  return (lines[at] ?? "").trim();
}

function isOutlookHead(lines: readonly string[], at: number): boolean {
  return [0, 1, 2].every((offset) => outlookField.test(bare(lines, at + offset))) && at > 0;
}

/**
 * Tells of a line whether only quoted lines follow from there, or, as some programs write, unquoted history. Answers
 * between quotes are kept. Each line is looked at once, however many attributions there are.
 */
function quotesBehind(lines: readonly string[]): (from: number) => boolean {
  const isQuote = (line: string) => line.trimStart().startsWith(">");
  const lastOwn = lines.findLastIndex((line) => line.trim() !== "" && !isQuote(line));
  const lastQuote = lines.findLastIndex(isQuote);
  const firstQuoteFrom: number[] = [];
  for (let at = lines.length - 1, next = lines.length; at >= 0; at -= 1) {
    if (isQuote(lines[at] ?? "")) next = at;
    firstQuoteFrom[at] = next;
  }
  return (from) => lastQuote < from || lastOwn < (firstQuoteFrom[from] ?? lines.length);
}

function withoutTrailingQuote(lines: readonly string[], end: number): number {
  let at = end;
  while (at > 0 && (bare(lines, at - 1) === "" || bare(lines, at - 1).startsWith(">"))) at -= 1;
  return at;
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const dashes = lines.findLastIndex((line) => line === "-- " || line === "--");
  // A signature is short: what is longer was written under a rule of dashes.
  const isSignature = dashes !== -1 && lines.length - dashes <= 12;
  let end = isSignature ? dashes : lines.length;
  for (let at = end - 1; at >= 0; at -= 1) {
    const line = bare(lines, at);
    if (line === "") continue;
    if (!mobileSignatures.some((signature) => signature.test(line))) break;
    end = at;
  }
  return lines.slice(0, end);
}
