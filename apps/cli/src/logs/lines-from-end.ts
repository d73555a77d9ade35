import { open } from "node:fs/promises";

const pieceBytes = 262_144;
/** A command that looks for something rare ends, too. */
const mostBytes = 16 * 1_048_576;

/**
 * The last `count` lines that match, the oldest first, of files of which the first is the newest; one that isn't there is passed by. `isCut`:
 * there are older lines that were not looked at, since 16 MiB were read.
 */
export async function linesFromEnd(
  files: readonly string[],
  count: number,
  matches: (line: string) => boolean,
): Promise<{ readonly lines: readonly string[]; readonly isCut: boolean }> {
  const found: string[] = [];
  let left = mostBytes;
  for (const file of files) {
    for await (const line of backwards(file)) {
      if (found.length >= count) return { lines: found.toReversed(), isCut: false };
      left -= Buffer.byteLength(line) + 1;
      if (left < 0) return { lines: found.toReversed(), isCut: true };
      if (matches(line)) found.push(line);
    }
  }
  return { lines: found.toReversed(), isCut: false };
}

/** Lines that are not empty, the last one first. A line longer than 16 MiB ends the reading. */
async function* backwards(file: string): AsyncGenerator<string> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return;
  try {
    /** Pieces of the line whose beginning has not been read yet, the last one first. */
    let pieces: Buffer[] = [];
    let held = 0;
    for (let end = (await handle.stat()).size; end > 0 && held <= mostBytes; ) {
      const start = Math.max(0, end - pieceBytes);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
      if (bytesRead < end - start) return;
      const first = buffer.indexOf("\n");
      if (first === -1) {
        pieces.push(buffer);
        held += buffer.length;
      } else {
        const whole = Buffer.concat([buffer.subarray(first + 1), ...pieces.toReversed()]).toString("utf8");
        for (const line of whole.split("\n").reverse()) if (line !== "") yield line;
        pieces = [buffer.subarray(0, first)];
        held = first;
      }
      end = start;
    }
    const line = Buffer.concat(pieces.toReversed()).toString("utf8");
    if (line !== "" && held <= mostBytes) yield line;
  } finally {
    await handle.close();
  }
}
