/** Reads server-sent events from a body and calls `receive(name, data)` for each, with its data parsed. */
export async function readEvents(body, receive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  // Not every browser can iterate over a stream.
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const blocks = (rest + piece.value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) readBlock(block, receive);
  }
}

function readBlock(block, receive) {
  const fields = new Map();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  if (fields.has("data")) receive(fields.get("event") ?? "message", JSON.parse(fields.get("data")));
}
