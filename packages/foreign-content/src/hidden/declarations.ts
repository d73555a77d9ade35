/** A longer style is not read: what it styles counts as hidden. */
const maxStyleChars = 16_384;

/** What bears on whether text is seen. */
const names: ReadonlySet<string> = new Set(
  (
    "display visibility content-visibility opacity filter mso-hide font font-size text-indent color -webkit-text-fill-color " +
    "background background-color background-image background-clip -webkit-background-clip left right top bottom inset margin " +
    "margin-left margin-right margin-top width max-width height max-height overflow overflow-x overflow-y transform translate " +
    "scale clip clip-path"
  ).split(" "),
);

/** One `name: value` of a style, in lower case, without comments, escapes and the text of strings and addresses. */
export interface Declaration {
  readonly name: string;
  readonly value: string;
  readonly isImportant: boolean;
}

/** What a style declares about the sight of its element, in its order. The time grows with its length alone. */
export function declarationsOf(style: string): readonly Declaration[] {
  return readDeclarations(style.length > maxStyleChars ? style : style.replace(tokens, withoutText));
}

/** The same of a style that is `blanked`. */
export function readDeclarations(style: string): readonly Declaration[] {
  if (style.length > maxStyleChars) return [{ name: "display", value: "none", isImportant: true }];
  return style.split(";").flatMap((one) => {
    const colon = one.indexOf(":");
    const name = unescaped(one.slice(0, Math.max(0, colon))).trim();
    if (!names.has(name)) return [];
    const whole = unescaped(one.slice(colon + 1)).trim();
    const value = whole.replace(/!\s*important$/, "").trimEnd();
    return [{ name, value, isImportant: value !== whole }];
  });
}

/** CSS of the same length as what it was read from. */
export interface Blanked {
  /** Without comments and without what stands in strings and addresses: neither a declaration nor the beginning of a comment is there. */
  readonly text: string;
  /** Without comments alone. */
  readonly readable: string;
}

/** Spaces stand for what is left out. A comment that does not end reaches to the end. Pauses from time to time. */
export function* blanked(css: string): Generator<void, Blanked, void> {
  const text: string[] = [];
  const readable: string[] = [];
  let at = 0;
  let count = 0;
  for (const { 0: part, index } of css.matchAll(tokens)) {
    const before = css.slice(at, index);
    text.push(before, withoutText(part));
    readable.push(before, part.startsWith("/") ? spaces(part) : part);
    at = index + part.length;
    count += 1;
    if (count % tokensPerTurn === 0) yield;
  }
  const rest = css.slice(at);
  return { text: text.join("") + rest, readable: readable.join("") + rest };
}

/** Read between two pauses: some milliseconds. */
const tokensPerTurn = 5_000;

function withoutText(part: string): string {
  if (part.startsWith("\\") || part === '""' || part === "''") return part;
  if (part.startsWith("/")) return spaces(part);
  const begin = part.slice(0, /^["']/.test(part) ? 1 : "url(".length);
  return `${begin}${" ".repeat(part.length - begin.length - 1)}${part.slice(-1)}`;
}

const tokens = /\/\*[\s\S]*?(?:\*\/|$)|\\[\s\S]|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|url\([^"'()]*\)/gi;

function spaces(part: string): string {
  return " ".repeat(part.length);
}

/** Escapes of CSS: a hexadecimal code point with one optional space, or the character itself. In lower case. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text.toLowerCase();
  return text
    .replace(/\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi, (_, hex?: string, character?: string) => {
      const code = Number.parseInt(hex ?? "", 16);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : (character ?? "");
    })
    .toLowerCase();
}
