/** More is no farewell. */
const mostLines = 5;
const longestClosing = 200;
const longestName = 60;
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
  const names = namesBelow(lines);
  return names.every((line) => isNameOf(senderName, line)) ? first.trim() : text;
}

/** Also a name behind the farewell, as in `Best regards, Ada`. */
function namesBelow([first = "", ...others]: readonly string[]): readonly string[] {
  const words = first.trim();
  if (farewell.test(words)) return others;
  const comma = words.indexOf(",");
  return comma > 0 && farewell.test(words.slice(0, comma)) ? [words.slice(comma + 1), ...others] : [first, ...others];
}

/**
 * The lines of a text above what ends a letter, whoever signs it, and above remarks of ours in brackets on a line of their own, such as
 * `[earlier messages left out]`. For a reason alone: what stands below may take back what was said.
 */
export function aboveClosing(text: string): string {
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && isEnd(line));
  return (end === -1 ? lines : lines.slice(0, end)).join("\n").trim();
}

function isEnd(line: string): boolean {
  const words = line.trim();
  if (line === "-- " || /^\[[^[\]]+\]$/.test(words)) return true;
  const [greeting = "", name] = words.split(", ", 2);
  return farewell.test(greeting) && (name === undefined || name.length <= longestName);
}

/** All words of the line are of the name. */
function isNameOf(name: string, line: string): boolean {
  const known = new Set(wordsOf(name));
  return wordsOf(line).every((word) => known.has(word)) && wordsOf(line).length > 0;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
