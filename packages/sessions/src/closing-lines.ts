/** More is no farewell. */
const mostLines = 5;
const longestClosing = 200;
const longestSignature = 1_000;
/** The whole line. Farewells that are not here decide nothing: their writer is told how to. */
const farewell =
  /^(?:(?:many |with )?thanks(?: a lot)?|thank you(?: very much)?|cheers|best|(?:(?:best|kind|kindest|warm|with kind) )?regards|(?:all the )?best wishes|all the best|(?:yours )?(?:sincerely|truly|faithfully)|danke|vielen dank|(?:mit )?(?:freundlichen|besten|vielen|lieben|herzlichen) grüßen|(?:freundliche |beste |viele |liebe |herzliche )?grüße|(?:freundlicher |lieber )?gruß|mfg|vg|lg|merci(?: beaucoup)?|(?:bien )?cordialement|(?:muchas )?gracias|(?:un )?saludos?(?: cordial(?:es)?)?|grazie|(?:cordiali |distinti )?saluti|(?:met vriendelijke )?groet(?:en)?|bedankt|obrigad[oa]|atenciosamente)[,.!]?$/iu;

/**
 * The first line of a text, where nothing follows but what ends a letter: a farewell, the name of its sender, or both, or a signature below
 * `-- ` (RFC 3676 section 4.3). Any other text as it is.
 */
export function withoutClosing(text: string, senderName: string): string {
  const [first = ""] = text.split(/\r?\n/, 1);
  if (text.length > first.length + longestSignature) return text;
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(1);
  if (lines.length === 0) return text;
  if (lines[0] === "-- ") return first.trim();
  if (lines.length > mostLines || text.length > first.length + longestClosing) return text;
  const names = farewell.test(lines[0]?.trim() ?? "") ? lines.slice(1) : lines;
  return names.every((line) => isNameOf(senderName, line)) ? first.trim() : text;
}

/** All words of the line are of the name. */
function isNameOf(name: string, line: string): boolean {
  const known = new Set(wordsOf(name));
  return wordsOf(line).every((word) => known.has(word)) && wordsOf(line).length > 0;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
