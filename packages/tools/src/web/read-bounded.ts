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
