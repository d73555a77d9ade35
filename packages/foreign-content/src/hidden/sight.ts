import { backgroundOf, type Colour, looksLike, toColour } from "./colours.ts";
import type { Declaration } from "./declarations.ts";
import { fontSizePx, toPx } from "./lengths.ts";
import { OutOfSight } from "./out-of-sight.ts";

/** Whether people see what an element holds, and what elements inside of it begin with. */
export interface Sight {
  /** Nothing inside is seen, whatever it says of itself. The rest may be undone inside. */
  readonly isGone: boolean;
  readonly isInvisible: boolean;
  readonly isIndentedAway: boolean;
  readonly fontPx: number;
  /** Undefined: that of the page, or one that we can't tell. */
  readonly colour: Colour | undefined;
  /** Undefined: it can't be told, as behind a picture. */
  readonly background: Colour | undefined;
}

export interface Look {
  /** Rules of style sheets first, the element's own style last. */
  readonly declarations: readonly Declaration[];
  /** Of the attribute `hidden`. */
  readonly isHidden?: boolean;
  /** Of the attributes `color`, `bgcolor`. */
  readonly color?: string | undefined;
  readonly bgcolor?: string | undefined;
}

const white: Colour = { channels: [255, 255, 255], alpha: 1 };
/** Smaller text is not read. */
const minFontPx = 2;
const minAlpha = 0.1;
/** So far is out of the window. */
const farPx = 100;

/** A page that says nothing: black on white. */
export const openSight: Sight = {
  isGone: false,
  isInvisible: false,
  isIndentedAway: false,
  fontPx: 16,
  colour: undefined,
  background: white,
};

/** Whether the text of an element is hidden; elements inside of it may be seen unless it `isGone`. */
export function hidesText(sight: Sight): boolean {
  return sight.isGone || sight.isInvisible || sight.isIndentedAway || sight.fontPx < minFontPx || isUnseen(sight);
}

/** Whether a picture is hidden: neither the size nor the colour of text matters. */
export function hidesPictures({ isGone, isInvisible }: Sight): boolean {
  return isGone || isInvisible;
}

function isUnseen({ colour, background }: Sight): boolean {
  if (colour === undefined) return false;
  return colour.alpha < minAlpha || (background !== undefined && looksLike(colour, background));
}

type Growing = { -readonly [Key in keyof Sight]: Sight[Key] } & { isTextItsBackground: boolean };

/** How an element inside of another is seen. */
export function sightWithin(outer: Sight, look: Look): Sight {
  if (outer.isGone) return outer;
  const growing: Growing = { ...outer, isTextItsBackground: false };
  const place = new OutOfSight();
  const attributes = [
    ["color", look.color ?? ""],
    ["background-color", look.bgcolor ?? ""],
  ].map(([name = "", value = ""]) => ({ name, value: value.trim().toLowerCase(), isImportant: false }));
  const all = [...attributes.filter(({ value }) => value !== ""), ...look.declarations];
  for (const isLast of [false, true]) {
    for (const { name, value, isImportant } of all) {
      if (isImportant !== isLast) continue;
      const read = readers.get(name);
      if (read === undefined) place.take(name, value, outer.fontPx);
      else read(growing, value, outer);
    }
  }
  const { isTextItsBackground, ...sight } = growing;
  // Text that is filled with a picture or with changing colours is seen.
  const colour = isTextItsBackground && sight.background === undefined ? undefined : sight.colour;
  return { ...sight, colour, isGone: look.isHidden === true || place.isGone };
}

const readers: ReadonlyMap<string, (growing: Growing, value: string, outer: Sight) => void> = new Map([
  ["visibility", readVisibility],
  ["font-size", readFontSize],
  ["font", readFont],
  ["text-indent", readIndent],
  ["color", readColour],
  ["-webkit-text-fill-color", readColour],
  ["background", readBackground],
  ["background-color", readBackground],
  ["background-image", readBackground],
  ["background-clip", readClip],
  ["-webkit-background-clip", readClip],
]);

function readVisibility(growing: Growing, value: string, outer: Sight): void {
  if (/^(?:hidden|collapse)$/.test(value)) growing.isInvisible = true;
  else if (/^(?:visible|initial)$/.test(value)) growing.isInvisible = false;
  else if (/^(?:inherit|unset)$/.test(value)) growing.isInvisible = outer.isInvisible;
}

function readFontSize(growing: Growing, value: string, { fontPx }: Sight): void {
  growing.fontPx = fontSizePx(value, fontPx) ?? growing.fontPx;
}

/** `font: bold 12px/1.5 Arial`: a weight is a number without a unit. */
function readFont(growing: Growing, value: string, outer: Sight): void {
  const size = value
    .split(/[\s/]+/)
    .find((part) => /^[+]?(?:0|[\d.]+(?:[a-z]+|%))$|^(?:x{0,3}-?(?:small|large)|medium|smaller|larger)$/.test(part));
  if (size !== undefined) readFontSize(growing, size, outer);
}

function readIndent(growing: Growing, value: string, { fontPx }: Sight): void {
  const px = toPx(value.split(" ")[0] ?? "", fontPx, 100);
  if (px !== undefined) growing.isIndentedAway = px <= -farPx || px >= farPx * 30;
}

function readColour(growing: Growing, value: string, outer: Sight): void {
  if (/^(?:inherit|unset|currentcolor)$/.test(value)) growing.colour = outer.colour;
  else growing.colour = toColour(value) ?? (/^[#\d]/.test(value) ? growing.colour : undefined);
}

function readBackground(growing: Growing, value: string): void {
  const found = backgroundOf(value);
  if (found !== "keep") growing.background = found;
}

function readClip(growing: Growing, value: string): void {
  growing.isTextItsBackground = value === "text";
}
