/** Bytes that a character's escape may begin with. */
export const escapeStarts: readonly number[] = [..."\\%&="].map((one) => one.charCodeAt(0));

/** JSON in JSON in JSON. */
const mostBackslashes = 8;
/** How often an escape may be escaped in its own way, as in `%252B` and `&amp;#43;`. */
const mostNested = 3;
/** Between the bytes of a character in UTF-16 and UTF-32. */
const mostZeros = 3;

/** Reads bytes of an answer of which more may come. Zeros between them are left out, so that UTF-16 reads as ASCII does. */
export class Reader {
  readonly bytes: Uint8Array;
  /** Something was wanted behind the end. */
  wasCut = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Where the next byte is, from `at` on; -1: behind the end. */
  next(at: number): number {
    let place = at;
    while (this.bytes[place] === 0 && place - at < mostZeros) place += 1;
    if (place < this.bytes.length) return place;
    this.wasCut = true;
    return -1;
  }

  /** Behind the byte, if it comes next; else -1. */
  behind(byte: number, at: number): number {
    const place = this.next(at);
    return place !== -1 && this.bytes[place] === byte ? place + 1 : -1;
  }

  behindText(text: string, at: number): number {
    let place = at;
    for (let n = 0; n < text.length && place !== -1; n += 1) place = this.behind(text.charCodeAt(n), place);
    return place;
  }

  /** `least` to `most` digits. */
  number(at: number, radix: 10 | 16, least: number, most: number): { value: number; end: number } | undefined {
    let [value, end, count] = [0, at, 0];
    for (; count < most; count += 1) {
      const place = this.next(end);
      const digit = place === -1 ? radix : digitOf(this.bytes[place] ?? 0);
      if (digit >= radix) break;
      value = value * radix + digit;
      end = place + 1;
    }
    return count < least ? undefined : { value, end };
  }
}

/** 16 and more: none. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : 16;
}

/** Takes what an escape stands for, and where it ends. */
export type Take = (value: number, end: number) => void;

/** All that an escape at `at` may stand for: in JSON, addresses, forms, HTML, quoted-printable, and these in themselves. */
export function escapesAt(reader: Reader, at: number, take: Take): void {
  const place = reader.next(at);
  if (place === -1) return;
  const byte = reader.bytes[place];
  if (byte === 0x5c) backslash(reader, place + 1, take);
  else if (byte === 0x25) percent(reader, place + 1, take);
  else if (byte === 0x26) entity(reader, place + 1, take);
  else if (byte === 0x3d) hexByte(reader, place + 1, take);
}

function hexByte(reader: Reader, at: number, take: Take): void {
  const hex = reader.number(at, 16, 2, 2);
  if (hex) take(hex.value, hex.end);
}

function percent(reader: Reader, at: number, take: Take): void {
  let hex = reader.number(at, 16, 2, 2);
  for (let depth = 0; hex && depth <= mostNested; depth += 1) {
    take(hex.value, hex.end);
    hex = hex.value === 0x25 ? reader.number(hex.end, 16, 2, 2) : undefined;
  }
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

function backslash(reader: Reader, at: number, take: Take): void {
  let end = at;
  take(0x5c, end);
  for (let count = 1; count < mostBackslashes; count += 1) {
    const more = reader.behind(0x5c, end);
    if (more === -1) break;
    end = more;
    take(0x5c, end);
  }
  const place = reader.next(end);
  if (place === -1) return;
  const escaped = String.fromCharCode(reader.bytes[place] ?? 0);
  const digits = { u: 4, x: 2 }[escaped];
  const hex = digits === undefined ? undefined : reader.number(place + 1, 16, digits, digits);
  if (hex) take(hex.value, hex.end);
  const control = controls[escaped];
  if (control !== undefined) take(control, place + 1);
  else if (!/[a-z0-9\\]/i.test(escaped)) take(escaped.charCodeAt(0), place + 1);
}

/** HTML's names of what is ASCII and no letter or digit. */
const names: Readonly<Record<string, string>> = {
  ...{ plus: "+", sol: "/", equals: "=", amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", num: "#", dollar: "$" },
  ...{ percnt: "%", excl: "!", lpar: "(", rpar: ")", ast: "*", midast: "*", comma: ",", period: ".", colon: ":" },
  ...{ semi: ";", quest: "?", commat: "@", lsqb: "[", lbrack: "[", rsqb: "]", rbrack: "]", bsol: "\\", Hat: "^" },
  ...{ lowbar: "_", UnderBar: "_", grave: "`", DiacriticalGrave: "`", lcub: "{", lbrace: "{", rcub: "}", rbrace: "}" },
  ...{ verbar: "|", vert: "|", VerticalLine: "|", NewLine: "\n", Tab: "\t" },
};

function entity(reader: Reader, at: number, take: Take): void {
  let start = at;
  for (let depth = 0; depth < mostNested; depth += 1) {
    const more = reader.behindText("amp;", start);
    if (more === -1) break;
    start = more;
    take(0x26, start);
  }
  const digits = reader.behind(0x23, start);
  if (digits === -1) {
    named(reader, start, take);
    return;
  }
  const marked = [reader.behind(0x78, digits), reader.behind(0x58, digits)].find((end) => end !== -1);
  const number = marked === undefined ? reader.number(digits, 10, 1, 8) : reader.number(marked, 16, 1, 8);
  if (!number) return;
  const closed = reader.behind(0x3b, number.end);
  take(number.value, closed === -1 ? number.end : closed);
}

function named(reader: Reader, at: number, take: Take): void {
  let [name, end] = ["", at];
  while (name.length <= 16) {
    const place = reader.next(end);
    if (place === -1) return;
    const one = String.fromCharCode(reader.bytes[place] ?? 0);
    end = place + 1;
    if (!/[a-z]/i.test(one)) {
      const value = one === ";" && Object.hasOwn(names, name) ? names[name] : undefined;
      if (value !== undefined) take(value.charCodeAt(0), end);
      return;
    }
    name += one;
  }
}
