import { tooLong } from "./answer-parts.ts";

/** The longest single event of a stream. The last one of a Responses stream holds the whole answer. */
export const mostEventBytes = 8 * 1_024 * 1_024;

/** Watches a stream go by. */
export interface WireMeter {
  /** Throws when the event that is being read grows out of bounds. */
  count(piece: Uint8Array): void;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Server-sent events: an empty line ends one. */
export class EventMeter implements WireMeter {
  #bytes = 0;
  #atLineStart = false;

  count(piece: Uint8Array): void {
    const end = this.#lastEnd(piece);
    this.#bytes = end < 0 ? this.#bytes + piece.length : piece.length - end;
    if (this.#bytes > mostEventBytes) throw tooLong();
    const last = piece.at(-1);
    if (last !== undefined && last !== carriageReturn) this.#atLineStart = last === lineFeed;
  }

  /** Behind the last empty line, seen from the end, where it nearly always is. -1 without one. */
  #lastEnd(piece: Uint8Array): number {
    for (let at = piece.lastIndexOf(lineFeed); at >= 0; at = at === 0 ? -1 : piece.lastIndexOf(lineFeed, at - 1)) {
      const before = piece[at - 1] === carriageReturn ? at - 2 : at - 1;
      if (before < 0 ? this.#atLineStart : piece[before] === lineFeed) return at + 1;
    }
    return -1;
  }
}

const preludeBytes = 4;

/** Amazon's frames: the first four bytes say how long one is. */
export class FrameMeter implements WireMeter {
  #left = 0;
  #prelude: number[] = [];

  count(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) {
      const skipped = Math.min(this.#left, piece.length - at);
      this.#left -= skipped;
      at += skipped;
      while (this.#left === 0 && at < piece.length && this.#prelude.length < preludeBytes) {
        this.#prelude.push(piece[at] ?? 0);
        at += 1;
      }
      if (this.#prelude.length === preludeBytes) this.#begin();
    }
  }

  #begin(): void {
    const length = this.#prelude.reduce((number, byte) => number * 256 + byte, 0);
    this.#prelude = [];
    if (length > mostEventBytes || length <= preludeBytes) throw tooLong();
    this.#left = length - preludeBytes;
  }
}
