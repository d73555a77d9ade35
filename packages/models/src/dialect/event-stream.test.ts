import assert from "node:assert/strict";
import { it } from "node:test";
import { eventsOf } from "./event-stream.ts";

async function read(...pieces: readonly (string | Uint8Array)[]) {
  const bytes = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const found: string[] = [];
  for await (const { event, data } of eventsOf(new Response(ReadableStream.from(bytes))))
    found.push(`${event}|${data}`);
  return found;
}

it("reads the same events wherever the bytes are cut", async () => {
  const text = "\uFEFF: hi\r\nevent: a\r\ndata: Grüße 🐎\r\ndata: 2\r\n\r\ndata:3\r\rdata: 4\n\ndata: [DONE]\n\n";
  const bytes = new TextEncoder().encode(text);
  const expected = ["a|Grüße 🐎\n2", "|3", "|4", "|[DONE]"];
  for (let at = 0; at <= bytes.length; at += 1)
    assert.deepEqual(await read(bytes.slice(0, at), bytes.slice(at)), expected, `cut at ${at}`);
  assert.deepEqual(await read(...[...bytes].map((byte) => Uint8Array.of(byte))), expected);
});

it("takes no event for whole that was cut in its middle", async () => {
  assert.deepEqual(await read('data: {"a":1}\n\ndata: {"b":'), ['|{"a":1}']);
  assert.deepEqual(await read('data: {"a":1}'), ['|{"a":1}']);
  assert.deepEqual(await read(""), []);
  assert.deepEqual(await read(": only comments\n\n"), []);
});

it("throws what stands in place of a stream, and hands on a whole answer", async () => {
  await assert.rejects(read('{"error":\n{"message":"no"}}'), /^Error: no$|no/);
  await assert.rejects(read("<html>login</html>"), /something else than a stream: <html>login/);
  await assert.rejects(read('{"detail":"Not Found"}'), /Not Found/);
  assert.deepEqual(await read('{"choices":\n[]}'), ['|{"choices":\n[]}']);
});

it("ends a line that has no end", async () => {
  const million = new TextEncoder().encode("x".repeat(4_000_000));
  await assert.rejects(read("data: ", ...Array.from({ length: 9 }, () => million)), /longer than/);
});
