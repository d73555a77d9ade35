import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type MediaRef, silentLog, systemClock } from "@talaria/protocol";
import { type ModelServerOptions, say, startModelServer } from "@talaria/testkit";
import { createModel } from "../create-model.ts";
import { imageRefusal } from "../dialect/request-images.ts";
import { answerOf, apiKey, request } from "../model.fixture.ts";
import type { OpenAiChatConfig } from "../model-config.ts";

const bytes = new Map([
  ["one", Buffer.from("first picture")],
  ["two", Buffer.from("second picture")],
]);

async function readMedia(ref: MediaRef): Promise<Uint8Array> {
  const found = bytes.get(ref);
  if (found === undefined) throw new GatewayError("gone", { code: "not_found" });
  return found;
}

async function startPeer(options: ModelServerOptions = {}, config: Partial<OpenAiChatConfig> = {}) {
  const server = await startModelServer(options);
  const deps = { clock: systemClock, log: silentLog, readMedia };
  const model = createModel({ provider: "openai-chat", baseUrl: server.baseUrl, apiKey, model: "m", ...config }, deps);
  return { server, model, [Symbol.asyncDispose]: () => server.stop() };
}

function asked(...refs: readonly string[]) {
  const images = refs.map((ref) => ({ ref: brandAs<MediaRef>(ref), mimeType: "image/png" }));
  return request({ messages: [{ role: "user", content: "look", images }] });
}

const note = "<note>You cannot see pictures: this model takes none.</note>";

describe("pictures in Chat Completions", () => {
  it("come after the text, in order, as they are", async () => {
    await using peer = await startPeer();
    assert.equal((await answerOf(peer.model, asked("one", "two"))).text, "echo: look");
    const [sent] = peer.server.requests;
    assert.deepEqual(sent?.images, [bytes.get("one"), bytes.get("two")]);
  });

  it("that are gone are left out, and a text alone stays a text", async () => {
    await using peer = await startPeer();
    await answerOf(peer.model, asked("gone", "two"));
    await answerOf(peer.model, asked("gone"));
    const [first, second] = peer.server.requests;
    assert.deepEqual(first?.images, [bytes.get("two")]);
    assert.equal(second?.messages.at(-1)?.content, "look");
  });

  it("are left out when the server refuses them, and the model is told", async () => {
    await using peer = await startPeer({ images: false });
    const { text } = await answerOf(peer.model, asked("one"));
    assert.equal(text, `echo: look\n\n${note}`);
    assert.equal(peer.server.requestCount(), 2);
    await answerOf(peer.model, asked("two"));
    assert.equal(peer.server.requestCount(), 3, "a model that said so is not offered the next ones");
  });

  it("are left out once when these may be the reason, and offered again next time", async () => {
    const refusal = { error: { message: "Invalid request.", type: "invalid_request_error" } };
    const status = { kind: "status", status: 400, body: refusal } as const;
    await using peer = await startPeer({ respond: ({ images }) => (images.length > 1 ? [status] : say("fine")) });
    assert.equal((await answerOf(peer.model, asked("one", "two"))).text, "fine");
    assert.equal((await answerOf(peer.model, asked("one"))).text, "fine");
    assert.deepEqual(
      peer.server.requests.map(({ images }) => images.length),
      [2, 0, 1],
    );
  });

  it("know a model that takes none from a picture that is broken", () => {
    const answers = [
      [400, "Invalid content type. image_url is only supported by certain models.", "all"],
      [404, "No endpoints found that support image input", "all"],
      [500, "image input is not supported - hint: you may need to provide the mmproj", "all"],
      [400, "llama-3 is not a multimodal model", "all"],
      [400, "This model does not support image inputs", "all"],
      [400, "You uploaded an unsupported image. Please make sure your image is valid.", "these"],
      [413, "Request Entity Too Large", "these"],
      [500, "internal error", "none"],
      [401, "Incorrect API key provided", "none"],
    ] as const;
    for (const [status, message, expected] of answers) {
      assert.equal(imageRefusal(Object.assign(new Error(message), { status })), expected, message);
    }
  });

  it("are not asked about twice when something else is wrong", async () => {
    const status = { kind: "status", status: 503, body: { error: { message: "busy", type: "server_error" } } } as const;
    await using peer = await startPeer({ respond: () => [status] });
    const { end } = await answerOf(peer.model, asked("one"));
    assert.equal(end.type === "failed" && end.error.kind, "overloaded");
    assert.equal(peer.server.requestCount(), 1);
  });

  it("are never sent to a model that is configured to take none", async () => {
    await using peer = await startPeer({ images: false }, { images: false });
    assert.equal((await answerOf(peer.model, asked("one"))).text, `echo: look\n\n${note}`);
    assert.equal(peer.server.requestCount(), 1);
  });
});
