/** At most `maxBytes` of a body; the rest is not read. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isCut = false;
  for await (const chunk of body ?? []) {
    const room = maxBytes - length;
    chunks.push(chunk.subarray(0, room));
    length += Math.min(room, chunk.byteLength);
    isCut = chunk.byteLength > room;
    if (isCut) break;
  }
  return { bytes: Buffer.concat(chunks), isCut };
}

/**
 * The beginning of a body: at most `mostBytes` where it is longer, and then the whole of it as it comes, with that beginning. A body
 * that has no bytes is never longer.
 */
export async function readStart(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<{ readonly start: Uint8Array; readonly whole?: AsyncIterable<Uint8Array> }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const rest = body[Symbol.asyncIterator]();
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value);
    length += next.value.byteLength;
    if (length > mostBytes)
      return { start: Buffer.concat(chunks).subarray(0, mostBytes), whole: goingOn(chunks, rest) };
  }
  return { start: Buffer.concat(chunks) };
}

async function* goingOn(begun: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* begun;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
