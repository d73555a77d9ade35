import { Transform } from "node:stream";

/** `text` with stars in place of `values`, as many as they are long. */
export function redactText(text: string, values: readonly string[]): string {
  return values.reduce((before, value) => before.replaceAll(value, () => "*".repeat(value.length)), text);
}

/**
 * Puts stars in place of `values` in what streams through, also where a chunk ends within one. The length stays what it is. It
 * keeps back at most the length of the longest.
 */
export function redactor(values: readonly string[]): Transform {
  const all = values.map((value) => Buffer.from(value, "latin1"));
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([held, chunk]);
      for (const value of all) cover(bytes, value);
      const kept = Math.max(0, ...all.map((value) => beginningAtEnd(bytes, value)));
      held = bytes.subarray(bytes.length - kept);
      done(null, bytes.subarray(0, bytes.length - kept));
    },
    flush(done) {
      done(null, held);
    },
  });
}

function cover(bytes: Buffer, value: Buffer): void {
  for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, at + value.length))
    bytes.fill("*", at, at + value.length);
}

/** How many bytes at the end could be the beginning of the value. */
function beginningAtEnd(bytes: Buffer, value: Buffer): number {
  const first = value[0] ?? 0;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - value.length + 1));
  while (at !== -1 && bytes.compare(value, 0, bytes.length - at, at) !== 0) at = bytes.indexOf(first, at + 1);
  return at === -1 ? 0 : bytes.length - at;
}
