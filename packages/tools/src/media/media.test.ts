import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { call, contextOf, fileOf, mediaInMemory } from "../testing/tool-call.ts";
import { createMediaTools } from "./index.ts";
import type { MediaPowers } from "./ports.ts";

const powers: MediaPowers = {
  makeImage: async ({ prompt, shape }) => ({ bytes: Buffer.from(`${prompt} ${shape}`), mimeType: "image/png" }),
  speak: async ({ text, voice }) => ({ bytes: Buffer.from(`${text} ${voice}`), mimeType: "audio/mpeg" }),
  transcribe: async ({ bytes, mimeType }) => `${mimeType} ${bytes.byteLength}`,
};

function named(name: string) {
  const tool = createMediaTools(powers).find((one) => one.name === name);
  assert.ok(tool);
  return tool;
}

describe("media tools", () => {
  it("put what they make into the reply, under a harmless name", async () => {
    const media = mediaInMemory();
    const context = contextOf({ media });
    const picture = await call(
      named("generate_image"),
      { prompt: "a boat", shape: "square", name: "../my:boat" },
      context,
    );
    assert.equal(picture.reply?.attachments?.[0]?.name, "my boat.png");
    const speech = await call(named("speak"), { text: "hello" }, context);
    assert.equal(speech.reply?.attachments?.[0]?.name, "speech.mp3");
    assert.deepEqual(
      [...media.kept.values()].map(({ bytes }) => Buffer.from(bytes).toString()),
      ["a boat square", "hello undefined"],
    );
  });

  it("hear a whole recording of this conversation, and no other file", async () => {
    const media = mediaInMemory();
    const { ref } = await media.put(Buffer.alloc(2_500_000), "audio/ogg", new AbortController().signal);
    const files = [fileOf(ref, "audio/ogg", 2_500_000)];
    const heard = await call(named("transcribe"), { id: files[0]?.id }, contextOf({ media, files }));
    assert.deepEqual([heard.content, heard.untrusted], ["audio/ogg 2500000", true]);
    const others = [fileOf(ref, "text/plain", 1)];
    await assert.rejects(
      call(named("transcribe"), { id: others[0]?.id }, contextOf({ media, files: others })),
      (error) => isGatewayError(error, "unsupported"),
    );
    const large = [fileOf(ref, "audio/ogg", 30_000_000)];
    await assert.rejects(call(named("transcribe"), { id: large[0]?.id }, contextOf({ media, files: large })), (error) =>
      isGatewayError(error, "too_large"),
    );
  });

  it("are offered only where there is a model for them", () => {
    assert.deepEqual(createMediaTools({}), []);
  });
});
