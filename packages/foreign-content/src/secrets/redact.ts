import { Transform } from "node:stream";
import { searchFor } from "./find.ts";

/** `text` with stars in place of `values`, however they are spelt (see `searchFor`). */
export function redactText(text: string, values: readonly string[]): string {
  const bytes = Buffer.from(text);
  let isFound = false;
  const found = (from: number, to: number) => {
    isFound = true;
    cover(bytes, from, to);
  };
  searchFor(values)(bytes, found, true);
  return isFound ? bytes.toString() : text;
}

/**
 * Puts stars in place of `values`, however they are spelt (see `searchFor`), in what streams through, also where a chunk ends within one.
 * The length stays what it is. It keeps back what might be the beginning of one, and nothing else.
 */
export function redactor(values: readonly string[]): Transform {
  const search = searchFor(values);
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([held, chunk]);
      const open = search(bytes, (from, to) => cover(bytes, from, to), false);
      held = bytes.subarray(open);
      done(null, bytes.subarray(0, open));
    },
    flush(done) {
      search(held, (from, to) => cover(held, from, to), true);
      done(null, held);
    },
  });
}

/** Zeros stay, so that UTF-16 stays what it is. */
function cover(bytes: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at += 1) if (bytes[at] !== 0) bytes[at] = 0x2a;
}
