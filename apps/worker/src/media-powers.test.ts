import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadConfig } from "@talaria/config";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { startModelServer } from "@talaria/testkit";
import { mediaPowers } from "./media-powers.ts";

const deps = { clock: systemClock, log: silentLog };
const never = new AbortController().signal;

function powersOf(text: string) {
  return mediaPowers(loadConfig(text, { file: "test", env: { KEY: "sk-1" } }).config, deps);
}

describe("the models that make and hear media", () => {
  it("are those that are configured", () => {
    assert.deepEqual(Object.keys(powersOf("")), []);
    assert.deepEqual(Object.keys(powersOf("images: { model: a }\nspeech: { model: b }")), ["makeImage", "speak"]);
  });

  it("are asked at their address, with their key, and within their limits", async () => {
    const heard: number[] = [];
    await using server = await startModelServer({
      apiKey: "sk-1",
      draw: () => Buffer.alloc(2_000, 1),
      speak: ({ voice }) => Buffer.from(`by ${voice}`),
      transcribe: ({ bytes }) => {
        heard.push(bytes.byteLength);
        return "words";
      },
    });
    const common = `baseUrl: "${server.baseUrl}", apiKey: "\${KEY}"`;
    const { makeImage, speak, transcribe } = powersOf(`
images: { ${common}, model: gpt-image-2, maxBytes: 1024 }
speech: { ${common}, model: tts-1, voice: marin }
transcription: { ${common}, model: whisper-1, maxBytes: 2000 }`);
    const spoken = await speak?.({ text: "hello" }, never);
    assert.equal(Buffer.from(spoken?.bytes ?? []).toString(), "by marin");
    await assert.rejects(makeImage?.({ prompt: "x" }, never) ?? Promise.resolve(), (error) =>
      isGatewayError(error, "too_large"),
    );
    const recording = (bytes: number) => ({ bytes: Buffer.alloc(bytes), mimeType: "audio/ogg" });
    assert.equal(await transcribe?.(recording(2_000), never), "words");
    await assert.rejects(transcribe?.(recording(2_001), never) ?? Promise.resolve(), (error) =>
      isGatewayError(error, "too_large"),
    );
    assert.deepEqual(heard, [2_000], "what is too large is not sent");
  });
});
