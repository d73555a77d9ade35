import assert from "node:assert/strict";
import { it } from "node:test";
import { LineReader } from "@talaria/protocol";
import { boundedFetch } from "./bounded-fetch.ts";

/** Reads an answer that comes in these pieces. */
async function read(type: string, pieces: readonly string[]): Promise<string> {
  const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
  const answer = new Response(body as ReadableStream<Uint8Array>, { headers: { "content-type": type } });
  return await (await boundedFetch(async () => answer, { elapsed: () => 0 }, 20)("http://127.0.0.1/")).text();
}

it("counts the events of a stream one by one, however they are cut", async () => {
  const event = `data: ${"x".repeat(10)}\n\n`;
  assert.equal(await read("text/event-stream", [event.repeat(5)]), event.repeat(5));
  assert.equal(await read("text/event-stream", [...event.repeat(5)]), event.repeat(5));
  const withReturns = event.replaceAll("\n", "\r\n");
  assert.equal(await read("text/event-stream; charset=utf-8", [withReturns.repeat(5)]), withReturns.repeat(5));
});

it("ends a stream with an event that is too large, and any other body", async () => {
  const lines = "data: xxxxxxxx\n";
  await assert.rejects(read("text/event-stream", [lines, lines]), /more than 8 MiB/);
  await assert.rejects(read("text/event-stream", ["x".repeat(21)]), RangeError);
  await assert.rejects(read("application/json", ["x".repeat(10), "\n\n", "x".repeat(10)]), RangeError);
  assert.equal(await read("application/json", ["x".repeat(20)]), "x".repeat(20));
});

it("ends a stream that never stops talking", async () => {
  const line = "data: x\n\n";
  assert.equal((await read("text/event-stream", [line.repeat(2_500)])).length, 2_500 * line.length);
  await assert.rejects(read("text/event-stream", [line.repeat(2_501)]), /more than 5000 lines in a second/);
});

it("puts lines together from any pieces, up to a length", () => {
  const bytes = Buffer.from("äb\r\n\nlast\nopen");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines = new LineReader(20);
    const read = [...lines.read(bytes.subarray(0, cut)), ...lines.read(bytes.subarray(cut))];
    assert.deepEqual(read, ["äb", "", "last"]);
  }
  const lines = new LineReader(4);
  assert.deepEqual([...lines.read(Buffer.from("abcd\nab"))], ["abcd"]);
  assert.throws(() => [...lines.read(Buffer.from("cde"))], RangeError);
});
