import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { createImageMaker, createSpeaker } from "./index.ts";
import { apiKey, testClock } from "./model.fixture.ts";

const never = new AbortController().signal;
const png = Buffer.from("89504e470d0a1a0a", "hex");

type Answer = (path: string, body: Record<string, unknown>) => readonly [status: number, body: unknown];

/** Takes what OpenAI's reference takes, and refuses what it refuses. */
const openAi: Answer = (path, body) => {
  const refusal = (message: string) => [400, { error: { message, type: "invalid_request_error" } }] as const;
  if (path === "/v1/images/generations") {
    const isGpt = String(body.model).startsWith("gpt-image");
    if (isGpt && "response_format" in body) return refusal("Unknown parameter: 'response_format'.");
    const sizes = isGpt ? ["1024x1024", "1536x1024", "1024x1536"] : ["1024x1024", "1792x1024", "1024x1792"];
    if (body.size !== undefined && !sizes.includes(String(body.size))) return refusal(`Invalid size ${body.size}`);
    const isInline = isGpt || body.response_format === "b64_json";
    return [
      200,
      {
        created: 1,
        usage: isGpt ? { input_tokens: 9, output_tokens: 1_000 } : null,
        data: [isInline ? { b64_json: png.toString("base64") } : { url: "https://x.example/" }],
      },
    ];
  }
  const isSpeech = path === "/v1/audio/speech" && body.response_format === "mp3" && String(body.input).length <= 4_096;
  return isSpeech ? [200, Buffer.from(`ID3 ${body.voice}: ${body.input}`)] : refusal("what?");
};

async function startPeer(answer: Answer = openAi) {
  let asked = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    asked += 1;
    const body = (await json(request)) as Record<string, unknown>;
    const isKnown = request.headers.authorization === `Bearer ${apiKey}`;
    const [status, content] = isKnown ? answer(request.url ?? "", body) : [401, { error: { message: `no ${apiKey}` } }];
    const isBytes = Buffer.isBuffer(content);
    response.writeHead(status, { "content-type": isBytes ? "audio/mpeg" : "application/json" });
    response.end(isBytes ? content : JSON.stringify(content));
  };
  const server = await LoopbackServer.listen((request, response) => void listener(request, response));
  const config = { baseUrl: `${server.url}/v1`, apiKey, timeoutMs: 60_000, maxBytes: 1_000 };
  return { config, asked: () => asked, [Symbol.asyncDispose]: () => server.stop() };
}

const deps = { clock: testClock() };

describe("the maker of pictures", () => {
  it("asks each model in its own way and gives the picture itself", async () => {
    await using peer = await startPeer();
    for (const model of ["gpt-image-1", "dall-e-3"]) {
      const make = createImageMaker({ ...peer.config, model }, deps);
      for (const shape of [undefined, "square", "landscape", "portrait"] as const) {
        const made = await make({ prompt: "a boat", shape }, never);
        assert.deepEqual([Buffer.from(made.bytes), made.mimeType], [png, "image/png"]);
        const counted = { inputTokens: 9, cachedTokens: 0, outputTokens: 1_000, reasoningTokens: 0 };
        assert.deepEqual(made.usage, model === "dall-e-3" ? undefined : counted);
      }
    }
  });

  it("tries once, says why, and names no key", async () => {
    await using peer = await startPeer(() => [503, { error: { message: "busy" } }]);
    const make = createImageMaker({ ...peer.config, model: "gpt-image-1" }, deps);
    await assert.rejects(make({ prompt: "x" }, never), (error) => isGatewayError(error, "unavailable"));
    assert.equal(peer.asked(), 1);
    const stranger = createImageMaker({ ...peer.config, apiKey: "other", model: "gpt-image-1" }, deps);
    await assert.rejects(stranger({ prompt: "x" }, never), (error) => isGatewayError(error, "invalid_request"));
  });

  it("takes no picture that is larger than the limit, and no answer that never ends", async () => {
    const data = [{ b64_json: Buffer.alloc(1_001, 1).toString("base64") }];
    await using peer = await startPeer(() => [200, { data }]);
    const make = createImageMaker({ ...peer.config, model: "local" }, deps);
    await assert.rejects(make({ prompt: "x" }, never), (error) => isGatewayError(error, "too_large"));
    await using endless = await startPeer(() => [200, { data: [{ b64_json: "" }], more: "x".repeat(2_000_000) }]);
    const other = createImageMaker({ ...endless.config, model: "local" }, deps);
    await assert.rejects(other({ prompt: "x" }, never), (error) => isGatewayError(error, "too_large"));
  });

  it("does not take an answer without a picture for one", async () => {
    await using peer = await startPeer(() => [200, { data: [{ url: "https://x.example/" }] }]);
    const make = createImageMaker({ ...peer.config, model: "local" }, deps);
    await assert.rejects(make({ prompt: "x" }, never), /no picture: the answer has none in it/);
  });
});

describe("the speaker", () => {
  it("says a text with its own voice or the one that is asked for", async () => {
    await using peer = await startPeer();
    const speak = createSpeaker({ ...peer.config, model: "tts-1", voice: "alloy" }, deps);
    assert.equal(Buffer.from((await speak({ text: "hello" }, never)).bytes).toString(), "ID3 alloy: hello");
    const other = await speak({ text: "hello", voice: "nova" }, never);
    assert.deepEqual([Buffer.from(other.bytes).toString(), other.mimeType], ["ID3 nova: hello", "audio/mpeg"]);
  });

  it("takes no recording that is larger than the limit", async () => {
    await using peer = await startPeer(() => [200, Buffer.alloc(1_001)]);
    const speak = createSpeaker({ ...peer.config, model: "tts-1", voice: "alloy" }, deps);
    await assert.rejects(speak({ text: "hello" }, never), (error) => isGatewayError(error, "too_large"));
  });

  it("stops with the turn", async () => {
    await using peer = await startPeer();
    const stop = new AbortController();
    stop.abort();
    const speak = createSpeaker({ ...peer.config, model: "tts-1", voice: "alloy" }, deps);
    await assert.rejects(speak({ text: "hello" }, stop.signal), (error) => isGatewayError(error, "aborted"));
  });
});
