import type { Attributes } from "./html-tokens.ts";

/** A longer style is not looked at: what it styles counts as hidden. */
const longestStyle = 16_384;

/** Whether an element's attributes make its content invisible to people: not drawn, too small, or white. */
export function hides(attributes: Attributes): boolean {
  if (attributes.has("hidden")) return true;
  if (/^\s*(?:#fff(?:fff)?|white)\b/i.test(attributes.get("color") ?? "")) return true;
  const style = attributes.get("style");
  return style !== undefined && (style.length > longestStyle || hidesByStyle(style));
}

function hidesByStyle(style: string): boolean {
  // A comment that does not end reaches to the end.
  const plain = unescaped(style.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, "")).toLowerCase();
  return plain.split(";").some((declaration) => {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, colon).trim();
    const value = declaration
      .slice(colon + 1)
      .replace("!important", "")
      .trim();
    return hidesBy.get(name)?.test(value) ?? false;
  });
}

/** Escapes of CSS: a hexadecimal code point with one optional space, or the character itself. */
function unescaped(style: string): string {
  return style.replace(/\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi, (_, hex?: string, character?: string) => {
    const code = Number.parseInt(hex ?? "", 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : (character ?? "");
  });
}

const tiny = /^(?:0|[01](?:\.\d+)?(?:px|pt)?|0?\.\d+(?:em|rem|px|pt)?)$/;
const none = /^0(?:px|pt|em|%)?$/;

const hidesBy: ReadonlyMap<string, RegExp> = new Map([
  ["display", /^none$/],
  ["visibility", /^(?:hidden|collapse)$/],
  ["opacity", /^0?(?:\.0\d*)?$|^0$/],
  ["font-size", tiny],
  ["max-height", none],
  ["max-width", none],
  ["height", none],
  ["width", none],
  [
    "color",
    /^(?:#fff(?:fff)?|white|transparent|rgba?\(\s*255\s*,\s*255\s*,\s*255[^)]*\)|rgba\([^)]*,\s*0(?:\.0+)?\s*\))$/,
  ],
  ["text-indent", /^-\d{3,}/],
  ["mso-hide", /^all$/],
]);
