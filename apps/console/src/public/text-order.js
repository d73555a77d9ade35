// Written by scripts/generate-console-markdown.ts.
/** Part of a text: from its first to behind its last UTF-16 unit. */

const leftwardScripts = String.raw`\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Rohg}\p{sc=Mand}\p{sc=Samr}`;
const leftwardLetter = new RegExp(String.raw`(?=\p{L})[${leftwardScripts}]`, "gu");
const letter = /\p{L}/gu;
/** So many UTF-16 units tell how the whole is read. */
const tellingUnits = 20_000;

/**
 * The signs that set the direction of what follows (Unicode, UAX 9, sections 2.1 to 2.4), also as numbers of HTML; line feeds, at which their effect
 * ends; and words of scripts that are read from the right.
 */
const tokens = new RegExp(
  String.raw`\n|[\u202a-\u202e\u2066-\u2069]|(?<!\\)&#(?:x0{0,5}(?:202[a-e]|206[6-9])|0{0,5}(?:823[4-8]|829[4-7]));|[${leftwardScripts}]+`,
  "giu",
);
const signs = /[\u202a-\u202e\u2066-\u2069]/g;
const embeddingEnd = "\u202c";
const isolateEnd = "\u2069";
const overrides = "\u202d\u202e";
const leftward = "\u202b\u2067";
const isolates = "\u2066\u2067\u2068";
/** Further ones within each other count for nothing: no text that people write has as many. */
const mostOpen = 16;

/**
 * A text that nobody sees in another order than it is written in. Overrides of the direction are left out; isolates and
 * embeddings stay where they end in their line, and those from right to left where words of such a script stand in them. Code has no
 * directions. One pass; marks such as U+200F stay.
 */
export function inReadingOrder(text, code = []) {
  const pieces = [];
  const open = [];
  let at = 0;
  let nextCode = 0;
  for (const match of text.matchAll(tokens)) {
    while ((code[nextCode]?.end ?? Number.POSITIVE_INFINITY) <= match.index) nextCode += 1;
    const isCode = match.index >= (code[nextCode]?.start ?? Number.POSITIVE_INFINITY);
    pieces.push(text.slice(at, match.index));
    at = match.index + match[0].length;
    const sign = signOf(match[0]);
    if (sign === undefined) {
      note(match[0], open);
      pieces.push(match[0]);
    } else if (isCode) pieces.push(sign === match[0] ? "" : match[0]);
    else if (sign === embeddingEnd || sign === isolateEnd) close(sign, open, pieces);
    else if (open.length < mostOpen) {
      open.push({ at: pieces.length, sign, hasLeftward: false });
      pieces.push("");
    }
  }
  return pieces.join("") + text.slice(at);
}

/**
 * How a text is read: as most of its letters are. The first one alone would let a name such as `npm` turn a sentence around. Undefined for a
 * text without letters, which stands as what is around it.
 */
export function directionOf(text) {
  const telling = text.slice(0, tellingUnits);
  const letters = telling.match(letter)?.length ?? 0;
  if (letters === 0) return undefined;
  const leftwards = telling.match(leftwardLetter)?.length ?? 0;
  return leftwards * 2 > letters ? "rtl" : "ltr";
}

/** A text in reading order for code, where no text needs a direction. */
export function withoutDirections(code) {
  return code.replaceAll(signs, "");
}

/** What a line feed or words mean for what is open. */
function note(token, open) {
  if (token === "\n") open.length = 0;
  else for (const one of open) one.hasLeftward = true;
}

function signOf(token) {
  if (token.startsWith("&#")) {
    const number = token.slice(2, -1);
    return String.fromCodePoint(
      /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number.parseInt(number, 10),
    );
  }
  return token.search(signs) === 0 ? token : undefined;
}

/** An isolate ends with all that began in it; an embedding only where nothing else is open in it. */
function close(end, open, pieces) {
  const index = open.findLastIndex(({ sign }) => isolates.includes(sign));
  const from = end === isolateEnd ? index : open.length - 1;
  if (from < 0 || (end === embeddingEnd && index === from)) return;
  const { at, sign, hasLeftward } = open[from];
  open.length = from;
  if (overrides.includes(sign) || (leftward.includes(sign) && !hasLeftward)) return;
  pieces[at] = sign;
  pieces.push(end);
}
