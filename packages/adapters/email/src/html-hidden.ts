import { decodeEntities } from "./html-entities.ts";

/** Whether an element's attributes make what it holds invisible to people: not drawn, too small, or white. */
export function hides(attributes: string): boolean {
  if (attributes.length === 0) return false;
  if (/(?:^|\s)hidden(?:\s|=|\/|$)/i.test(attributes)) return true;
  if (/(?:^|\s)color\s*=\s*["']?\s*(?:#fff(?:fff)?|white)\b/i.test(attributes)) return true;
  const style = /(?:^|\s)style\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes);
  return style !== null && hidesByStyle(decodeEntities(style[1] ?? style[2] ?? style[3] ?? ""));
}

function hidesByStyle(style: string): boolean {
  const plain = style.replace(/\/\*[\s\S]*?\*\//g, "").toLowerCase();
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
