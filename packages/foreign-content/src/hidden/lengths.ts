const pxOf = new Map(
  Object.entries({
    "": 1,
    px: 1,
    pt: 4 / 3,
    pc: 16,
    in: 96,
    cm: 37.8,
    mm: 3.78,
    q: 0.945,
    rem: 16,
    // Of a window of 1,000 pixels.
    vw: 10,
    vh: 10,
    vmin: 10,
    vmax: 10,
  }),
);

const fontShare = new Map(Object.entries({ em: 1, ex: 0.5, ch: 0.5 }));

/** A length in pixels; one without a unit counts as such, as browsers take it in old pages. Undefined for what is none. */
export function toPx(value: string, fontPx: number, wholePx?: number): number | undefined {
  const [, digits = "", unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?$/.exec(value) ?? [];
  if (digits === "") return undefined;
  const share =
    unit === "%" ? wholePx && wholePx / 100 : (pxOf.get(unit) ?? (fontShare.get(unit) ?? Number.NaN) * fontPx);
  return share === undefined || Number.isNaN(share) ? undefined : Number(digits) * share;
}

/** A number or a percentage, as in `opacity`. */
export function toShare(value: string): number | undefined {
  const number = toPx(value.replace(/%$/, ""), 0);
  if (number === undefined || !/[\d.]%?$/.test(value)) return undefined;
  return value.endsWith("%") ? number / 100 : number;
}

const sizes = new Map(
  Object.entries({
    "xx-small": 9,
    "x-small": 10,
    small: 13,
    medium: 16,
    large: 18,
    "x-large": 24,
    "xx-large": 32,
    initial: 16,
  }),
);

/** A font size in pixels, within one of `outerPx`. Formulas are as large as text usually is, unless they hold nothing but zeros. */
export function fontSizePx(value: string, outerPx: number): number | undefined {
  if (/^(?:inherit|unset)$/.test(value)) return outerPx;
  if (value === "smaller") return outerPx * 0.8;
  if (value === "larger") return outerPx * 1.2;
  if (/^(?:calc|min|max|clamp|var)\(/.test(value)) return /[1-9]|var\(/.test(value) ? 16 : 0;
  return sizes.get(value) ?? toPx(value, outerPx, outerPx);
}
