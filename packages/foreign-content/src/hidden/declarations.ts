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
  if (style.length > maxStyleChars) return [{ name: "display", value: "none", isImportant: true }];
  return withoutTexts(style)
    .split(";")
    .flatMap((one) => {
      const colon = one.indexOf(":");
      const name = unescaped(one.slice(0, Math.max(0, colon))).trim();
      const whole = unescaped(one.slice(colon + 1)).trim();
      const value = whole.replace(/!\s*important$/, "").trimEnd();
      return !names.has(name) ? [] : [{ name, value, isImportant: value !== whole }];
    });
}

/**
 * CSS of the same length with spaces instead of comments and of what stands in strings and addresses: neither a declaration nor the
 * beginning of a comment is there. A comment that does not end reaches to the end.
 */
export function withoutTexts(css: string): string {
  return css.replace(tokens, (part) => {
    if (part.startsWith("\\")) return part;
    const begin = /^(?:"|'|url\()?/i.exec(part)?.[0] ?? "";
    return begin === "" ? spaces(part) : `${begin}${" ".repeat(part.length - begin.length - 1)}${part.slice(-1)}`;
  });
}

/** CSS of the same length with spaces instead of comments. */
export function withoutComments(css: string): string {
  return css.replace(tokens, (part) => (part.startsWith("/*") ? spaces(part) : part));
}

const tokens = /\/\*[\s\S]*?(?:\*\/|$)|\\[\s\S]|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|url\([^"'()]*\)/gi;

function spaces(part: string): string {
  return " ".repeat(part.length);
}

/** Escapes of CSS: a hexadecimal code point with one optional space, or the character itself. In lower case. */
function unescaped(text: string): string {
  return text
    .replace(/\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi, (_, hex?: string, character?: string) => {
      const code = Number.parseInt(hex ?? "", 16);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : (character ?? "");
    })
    .toLowerCase();
}
