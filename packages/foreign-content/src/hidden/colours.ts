/** Each channel from 0 to 255, alpha from 0 to 1. */
export interface Colour {
  readonly channels: readonly [number, number, number];
  readonly alpha: number;
}

/** What differs by less in each channel is one colour to people. */
const sameWithin = 10;

/** Names of what is white to people, and of two more; text in other named colours is read. */
const named = new Map(
  Object.entries({
    white: "#ffffff",
    snow: "#fffafa",
    ivory: "#fffff0",
    ghostwhite: "#f8f8ff",
    floralwhite: "#fffaf0",
    mintcream: "#f5fffa",
    azure: "#f0ffff",
    whitesmoke: "#f5f5f5",
    black: "#000000",
    red: "#ff0000",
    green: "#008000",
    blue: "#0000ff",
    yellow: "#ffff00",
    gray: "#808080",
    grey: "#808080",
    silver: "#c0c0c0",
    navy: "#000080",
    transparent: "#00000000",
  }),
);

/** Undefined for what names no colour that we know. */
export function toColour(value: string): Colour | undefined {
  const hex = /^#([0-9a-f]{3,8})$/.exec(named.get(value) ?? value)?.[1];
  if (hex !== undefined) return fromHex(hex);
  const [, kind, inner = ""] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(value) ?? [];
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN, alpha = 1] = inner
    .split(/[\s,/]+/)
    .filter((part) => part !== "")
    .map((part, index) => toChannel(part, kind === "rgb" && index < 3));
  if (Number.isNaN(first + second + third + alpha)) return undefined;
  if (kind === "rgb") return { channels: [first, second, third], alpha };
  // Of a hue only what has none is looked at: the lightness is its grey.
  const isGrey = second < 0.05 || third > 0.97 || third < 0.03;
  return isGrey ? { channels: [third * 255, third * 255, third * 255], alpha } : undefined;
}

function toChannel(part: string, isOf255: boolean): number {
  const number = Number(part.replace(/%$|deg$/, ""));
  return part.endsWith("%") ? (number / 100) * (isOf255 ? 255 : 1) : number;
}

function fromHex(hex: string): Colour | undefined {
  const step = hex.length < 5 ? 1 : 2;
  if (hex.length === 5 || hex.length === 7) return undefined;
  const part = (index: number) => {
    const digits = hex.slice(index * step, (index + 1) * step);
    return digits === "" ? 255 : Number.parseInt(step === 1 ? digits + digits : digits, 16);
  };
  return { channels: [part(0), part(1), part(2)], alpha: part(3) / 255 };
}

export function looksLike(one: Colour, other: Colour): boolean {
  return one.channels.every((channel, index) => Math.abs(channel - (other.channels[index] ?? 0)) <= sameWithin);
}

/**
 * The colour of a background: `keep` where it shows what is behind it, undefined where it can't be told, as of pictures and of what
 * changes from one colour to another.
 */
export function backgroundOf(value: string): Colour | "keep" | undefined {
  const found = (value.match(/#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\([^()]*\)|[a-z]+/g) ?? []).flatMap(
    (part) => toColour(part) ?? [],
  );
  const [first] = found;
  const isPicture = /url\(|image|gradient\(/.test(value);
  if (first === undefined)
    return isPicture || /var\(|color\(|lab\(|lch\(/.test(value) ? undefined : namedBackground(value);
  if (/url\(|image/.test(value) || found.some((one) => !looksLike(one, first))) return undefined;
  if (first.alpha < 0.1) return "keep";
  return first.alpha > 0.9 ? first : undefined;
}

/** Words of `background` that name no colour; any other word may be one. */
const layout =
  /^(?:none|inherit|initial|unset|repeat|repeat-[xy]|no-repeat|scroll|fixed|top|bottom|left|right|center|cover|contain|[\d.-]+(?:px|em|%)?)?$/;

function namedBackground(value: string): "keep" | undefined {
  return value.split(/[\s,/]+/).every((part) => layout.test(part)) ? "keep" : undefined;
}
