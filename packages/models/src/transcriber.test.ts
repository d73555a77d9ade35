import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError, silentLog } from "@talaria/protocol";
import { startModelServer } from "@talaria/testkit";
import { apiKey, testClock } from "./model.fixture.ts";
import { createTranscriber, type TranscriptionConfig } from "./transcriber.ts";

const recording = { bytes: Buffer.from("OggS hello"), mimeType: "audio/ogg" };
const never = new AbortController().signal;

type Heard = Parameters<NonNullable<NonNullable<Parameters<typeof startModelServer>[0]>["transcribe"]>>[0];

async function startPeer(transcribe: (heard: Heard) => string, config: Partial<TranscriptionConfig> = {}) {
  const server = await startModelServer({ transcribe, apiKey });
  const settings = { baseUrl: server.baseUrl, apiKey, model: "whisper", timeoutMs: 5_000, ...config };
  const run = createTranscriber(settings, { clock: testClock(), log: silentLog });
  return { run, [Symbol.asyncDispose]: () => server.stop() };
}

describe("a transcriber", () => {
  it("sends the recording with its format, model and language, and gives the words", async () => {
    let heard: Heard | undefined;
    await using peer = await startPeer(
      (one) => {
        heard = one;
        return "  hello there ";
      },
      { language: "en" },
    );
    assert.equal(await peer.run(recording, never), "hello there");
    assert.deepEqual(heard, {
      bytes: Buffer.from(recording.bytes),
      name: "voice.ogg",
      mimeType: "audio/ogg",
      model: "whisper",
      language: "en",
    });
  });

  it("tries once more when the server is in trouble", async () => {
    let calls = 0;
    await using peer = await startPeer(() => {
      calls += 1;
      if (calls === 1) throw new Error("overloaded");
      return "at last";
    });
    assert.equal(await peer.run(recording, never), "at last");
  });

  it("gives up after two failures, at once after a refusal, and names no key", async () => {
    await using busy = await startPeer(() => {
      throw new Error(`overloaded ${apiKey}`);
    });
    await assert.rejects(busy.run(recording, never), (error) => {
      return isGatewayError(error, "unavailable") && !error.message.includes(apiKey);
    });
    await using stranger = await startPeer(() => "never", { apiKey: "another" });
    await assert.rejects(stranger.run(recording, never), (error) => isGatewayError(error, "invalid_request"));
  });

  it("ends when it is stopped", async () => {
    await using peer = await startPeer(() => "never");
    await assert.rejects(peer.run(recording, AbortSignal.abort()), (error) => isGatewayError(error, "aborted"));
  });
});
