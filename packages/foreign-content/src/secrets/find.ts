import { escapeStarts, escapesAt, Reader } from "./escapes.ts";
import { type Needle, needlesOf, type Unit } from "./needles.ts";

/**
 * Looks through bytes. `found`: each place, in order, none within another. Returns where it stopped, since what begins there might go on
 * behind the end; the end, if nothing does or `isLast`.
 */
export type Search = (bytes: Uint8Array, found: (from: number, to: number) => void, isLast: boolean) => number;

/** An indentation behind a break. */
const mostBlanks = 8;
const plus = 0x2b;
const backslash = 0x5c;

/**
 * A search for values, however they are spelt: each character as it is or escaped (JSON, also in JSON; addresses and forms; HTML;
 * quoted-printable), in UTF-8, UTF-16 or UTF-32, and the whole in hex or base64, also in lines. It takes at most so many steps for each
 * byte as the longest value has characters, times what one escape may be long.
 */
export function searchFor(values: readonly string[]): Search {
  const needles = values.flatMap(needlesOf);
  const starts = startsOf(needles);
  return (bytes, found, isLast) => {
    const reader = new Reader(bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      if (starts.isPossible[bytes[at] ?? 0] === 0) continue;
      const end = farthest(reader, at, starts);
      if (reader.wasCut && !isLast) return at;
      reader.wasCut = false;
      if (end === -1) continue;
      found(at, end);
      at = end - 1;
    }
    return bytes.length;
  };
}

interface Start {
  readonly needle: Needle;
  /** 1 for each byte that may follow the first. */
  readonly second: Uint8Array;
}

interface Starts {
  /** 1 for each byte that is worth a look. */
  readonly isPossible: Uint8Array;
  /** By the first byte as it is. */
  readonly raw: readonly (readonly Start[])[];
  readonly needles: readonly Needle[];
}

/** Tables by byte: most places are passed by after a look at one or two. */
function startsOf(needles: readonly Needle[]): Starts {
  const isPossible = new Uint8Array(256);
  const raw: Start[][] = Array.from({ length: 256 }, () => []);
  for (const byte of escapeStarts) isPossible[byte] = 1;
  for (const needle of needles) {
    const [one, two] = needle.units;
    const second = new Uint8Array(256);
    if (two === undefined || (one?.bytes.length ?? 0) > 1) second.fill(1);
    else for (const byte of [...beginnings(two, needle), ...escapeStarts, 0, 10, 13]) second[byte] = 1;
    for (const byte of beginnings(one, needle)) {
      isPossible[byte] = 1;
      raw[byte]?.push({ needle, second });
    }
  }
  return { isPossible, raw, needles };
}

/** The farthest end of what begins there; -1: nothing does. `reader.wasCut`: one might, if more came. */
function farthest(reader: Reader, at: number, { raw, needles }: Starts): number {
  const following = reader.bytes[at + 1];
  const byte = reader.bytes[at] ?? 0;
  const possible: Needle[] = [];
  for (const { needle, second } of raw[byte] ?? [])
    if (following === undefined || second[following] === 1) possible.push(needle);
  // Of many backslashes, the last one is enough to begin at.
  if (escapeStarts.includes(byte) && !(byte === backslash && following === backslash))
    escapesAt(reader, at, (value) => {
      for (const needle of needles) if (mayBegin(value, needle)) possible.push(needle);
    });
  if (possible.length === 0) return -1;
  let wasCut = reader.wasCut;
  let end = -1;
  for (const needle of possible) {
    reader.wasCut = false;
    const own = endOf(needle, reader, at);
    wasCut ||= own === -1 && reader.wasCut;
    end = Math.max(end, own);
  }
  reader.wasCut = wasCut;
  return end;
}

function mayBegin(value: number, { units, anyCase }: Needle): boolean {
  const [unit] = units;
  return value === unit?.point || value === unit?.bytes[0] || (anyCase && (value | 0x20) === unit?.point);
}

function beginnings(unit: Unit | undefined, { anyCase }: Needle): readonly number[] {
  if (unit === undefined) return [];
  const raw = unit.bytes[0] ?? 0;
  const capital = String.fromCharCode(raw).toUpperCase().charCodeAt(0);
  return [raw, ...(anyCase ? [capital] : []), ...(unit.point === 0x20 ? [plus] : [])];
}

/** The farthest end of what stands there; -1: it doesn't. Of the ways to read it, each place is gone on from once. */
function endOf(needle: Needle, reader: Reader, at: number): number {
  let places = [at];
  for (const [number, unit] of needle.units.entries()) {
    const ends: number[] = [];
    const take = (end: number) => {
      if (!ends.includes(end)) ends.push(end);
    };
    for (const place of places) {
      unitEnds(unit, needle, reader, place, take);
      const broken = number === 0 ? -1 : behindBreak(needle, reader, place);
      if (broken !== -1) unitEnds(unit, needle, reader, broken, take);
    }
    if (ends.length === 0) return -1;
    places = ends;
  }
  return Math.max(...places);
}

function unitEnds(unit: Unit, { anyCase }: Needle, reader: Reader, at: number, take: (end: number) => void): void {
  const { point, bytes } = unit;
  const isIt = (value: number) => value === point || (anyCase && value >= 0x30 && (value | 0x20) === point);
  const place = reader.next(at);
  if (place === -1) return;
  const raw = reader.bytes[place] ?? 0;
  if (bytes.length === 1 && (isIt(raw) || (point === 0x20 && raw === plus))) take(place + 1);
  escapesAt(reader, place, (value, end) => {
    if (isIt(value)) take(end);
  });
  if (bytes.length === 1) return;
  let ends = [place];
  for (const byte of bytes) ends = ends.flatMap((end) => byteEnds(byte, reader, end));
  for (const end of ends) take(end);
}

function byteEnds(byte: number, reader: Reader, at: number): readonly number[] {
  const raw = reader.behind(byte, at);
  const ends = raw === -1 ? [] : [raw];
  escapesAt(reader, at, (value, end) => {
    if (value === byte) ends.push(end);
  });
  return ends;
}

/** Behind the end of a line within an encoded text, also where that is escaped; quoted-printable ends one with `=`. */
function behindBreak({ isLined }: Needle, reader: Reader, at: number): number {
  const soft = reader.behind(0x3d, at);
  if (soft === -1 && !isLined) return -1;
  const start = soft === -1 ? at : soft;
  const returned = lineEnd(13, reader, start);
  let end = lineEnd(10, reader, returned === -1 ? start : returned);
  if (end === -1) return returned;
  for (let count = 0; isLined && count < mostBlanks; count += 1) {
    const blank = [reader.behind(0x20, end), reader.behind(9, end)].find((place) => place !== -1);
    if (blank === undefined) break;
    end = blank;
  }
  return end;
}

function lineEnd(byte: 10 | 13, reader: Reader, at: number): number {
  let end = reader.behind(byte, at);
  if (end === -1)
    escapesAt(reader, at, (value, place) => {
      if (value === byte) end = place;
    });
  return end;
}
