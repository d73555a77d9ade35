import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { createModel } from "../index.ts";
import { answerOf, deps } from "../model.fixture.ts";
import type { ModelConfig } from "../model-config.ts";
import { startWire } from "./wire.fixture.ts";
import { EventMeter, FrameMeter, mostEventBytes } from "./wire-meter.ts";

const mebibyte = 1_024 * 1_024;
const bytes = (text: string) => new TextEncoder().encode(text);

describe("an event that grows without end", { concurrency: true }, () => {
  const models: readonly (readonly [provider: string, model: string])[] = [
    ["openai-chat", "m"],
    ["openai-responses", "m"],
    ["anthropic", "claude-opus-5"],
    ["google", "gemini-2.5-pro"],
    ["mistral", "mistral-small-latest"],
  ];
  const floods: readonly (readonly [what: string, piece: string])[] = [
    ["a line", "x".repeat(mebibyte)],
    ["lines without an empty one", `data: ${"x".repeat(1_000)}\n`.repeat(1_000)],
  ];
  for (const [provider, model] of models)
    for (const [what, piece] of floods)
      it(`ends the call, not the memory: ${what} from ${provider}`, async () => {
        const sent = { bytes: 0 };
        await using server = await startWire((response) => flood(response, `data: ${piece}`, sent));
        const config = { provider, model, baseUrl: server.url, apiKey: "k" } as ModelConfig;
        const { end } = await answerOf(createModel(config, deps));
        assert.deepEqual(end.type === "failed" && end.error.kind, "runaway", JSON.stringify(end));
        assert.ok(sent.bytes < 4 * mostEventBytes, `${sent.bytes} bytes were taken`);
      });

  it("ends the call, not the memory: a refusal", async () => {
    const sent = { bytes: 0 };
    const status = { status: 400, type: "application/json" };
    await using server = await startWire((response) => flood(response, "x".repeat(mebibyte), sent), status);
    const { end } = await answerOf(createModel({ provider: "openai-chat", model: "m", baseUrl: server.url }, deps));
    assert.equal(end.type === "failed" && end.error.kind, "bad_request");
    assert.ok(sent.bytes < 4 * mostEventBytes, `${sent.bytes} bytes were taken`);
  });

  it("ends the call, not the memory: a frame of Amazon's that says it is that long", async () => {
    const sent = { bytes: 0 };
    const type = { type: "application/vnd.amazon.eventstream" };
    await using server = await startWire((response) => flood(response, "\x7f".repeat(mebibyte), sent), type);
    const config = { provider: "bedrock", model: "anthropic.claude-opus-5", baseUrl: server.url, apiKey: "k" } as const;
    const { end } = await answerOf(createModel(config, deps));
    assert.equal(end.type === "failed" && end.error.kind, "runaway", JSON.stringify(end));
    assert.ok(sent.bytes < mostEventBytes, `${sent.bytes} bytes were taken`);
  });
});

describe("a meter", () => {
  const endings = ["\n\n", "\r\n\r\n", "\n\r\n"];
  for (const ending of endings)
    it(`lets any number of events pass that end, cut wherever they are: ${JSON.stringify(ending)}`, () => {
      const event = bytes(`data: ${"x".repeat(100_000)}${ending}`);
      for (const cut of [1, 99_999, event.length - 1, event.length - 2, event.length - 3]) {
        const meter = new EventMeter();
        for (let round = 0; round < 200; round += 1) {
          meter.count(event.subarray(0, cut));
          meter.count(event.subarray(cut));
        }
      }
    });

  it("stops one event at eight mebibytes, in pieces of any size", () => {
    for (const size of [1_000, mebibyte]) {
      const meter = new EventMeter();
      const piece = bytes("x".repeat(size));
      let taken = 0;
      const fill = () => {
        for (; taken <= 2 * mostEventBytes; taken += size) meter.count(piece);
      };
      assert.throws(fill, /longer than/);
      assert.ok(taken <= mostEventBytes);
    }
  });

  it("reads the lengths of frames, cut wherever they are", () => {
    const frame = new Uint8Array(300);
    new DataView(frame.buffer).setUint32(0, frame.length);
    const stream = Buffer.concat(Array.from({ length: 100 }, () => frame));
    for (const size of [1, 3, 7, 299, 300, 301, 1_000]) {
      const meter = new FrameMeter();
      for (let at = 0; at < stream.length; at += size) meter.count(stream.subarray(at, at + size));
    }
    assert.throws(() => new FrameMeter().count(Uint8Array.of(0, 0, 0, 0)));
  });
});

/** Writes for as long as somebody listens, and counts what has gone out. */
async function flood(response: ServerResponse, piece: string, sent: { bytes: number }): Promise<void> {
  while (!response.destroyed && sent.bytes < 40 * mostEventBytes) {
    sent.bytes += piece.length;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve);
      response.once("close", resolve);
    });
  }
}
