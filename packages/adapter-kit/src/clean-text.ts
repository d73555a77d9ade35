/** Longest name of a person or a place, in characters as people count them (code points). */
const longestName = 80;

const replacement = "\uFFFD";

/** Control characters other than tab, line feed and carriage return. U+0000 among them, which PostgreSQL refuses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/**
 * A text that every store and every peer accepts: control characters and lone surrogates become U+FFFD. Its length in
 * UTF-16 units stays the same, so offsets into it stay right.
 */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(controls, replacement);
}

/** Formats, bidirectional controls, private use, variation selectors, and letters that are drawn as nothing. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]|\u034F|\u17B4|\u17B5/gu;

/** At most this many marks on one letter; more would paint over the lines around. */
const piledMarks = /(\p{M}{3})\p{M}+/gu;

/**
 * A name on one line of at most 80 characters, without invisible or bidirectional control characters. Empty when
 * nothing visible is left. It is for showing; an id decides who somebody is.
 */
export function cleanName(name: string): string {
  const head = name.slice(0, 20 * longestName).toWellFormed();
  const line = head
    .replace(/\s+/gu, " ")
    .replace(invisible, "")
    .replace(piledMarks, "$1")
    .replace(/ {2,}/g, " ")
    .trim();
  return [...line].slice(0, longestName).join("").trim();
}

/** As `cleanName`, for a file: one that is cut keeps its ending, by which programs know what it is. */
export function cleanFileName(name: string): string {
  const whole = cleanName(name);
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  if (whole.endsWith(ending)) return whole;
  return `${[...whole]
    .slice(0, longestName - ending.length)
    .join("")
    .trim()}${ending}`;
}
