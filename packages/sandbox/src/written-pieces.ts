/** Of one question to the workspace: many small ones would take longer. */
const pieceBytes = 2 * 1024 * 1024;

/** The same bytes in pieces of one size; the last one may be smaller. */
export async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const part of content) {
    for (let from = 0; from < part.length; ) {
      const taken = part.subarray(from, from + pieceBytes - length);
      held.push(taken);
      length += taken.length;
      from += taken.length;
      if (length < pieceBytes) continue;
      yield Buffer.concat(held, length);
      [held, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.concat(held, length);
}
