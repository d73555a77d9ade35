import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { codeOf } from "@talaria/testkit";
import { albumKindsOf } from "./media-kind.ts";
import { attached, files as known, message, open, signal } from "./testing/world.ts";

/** The first page of an Ogg file with this header of the sound in it (RFC 3533, RFC 7845). */
function ogg(header: string): Uint8Array {
  return Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from(header), Buffer.alloc(100)]);
}

const files = {
  ...known,
  opus: ogg("OpusHead"),
  vorbis: ogg("\u0001vorbis"),
  half: Buffer.alloc(30 * 1024 * 1024),
};

type World = Awaited<ReturnType<typeof open>>;

const sentTo = ({ chat }: World) => chat.messages().map(({ media, text }) => [media?.kind, text]);

describe("one file", () => {
  for (const [name, ref, mimeType, kind] of [
    ["a recording of speech", "opus", "audio/ogg", "voice"],
    ["a recording of speech, with its codec", "opus", "audio/ogg; codecs=opus", "voice"],
    ["another sound in the same container", "vorbis", "audio/ogg", "document"],
    ["what only says that it is a recording", "small", "audio/ogg", "document"],
    ["an MP3", "small", "audio/mpeg", "audio"],
    ["an M4A", "small", "audio/mp4", "audio"],
    ["a WAV", "small", "audio/wav", "document"],
    ["an MPEG4 film", "small", "video/mp4", "video"],
    ["another film", "small", "video/webm", "document"],
    ["a picture", "picture", "image/png", "photo"],
    ["a moving picture", "small", "image/gif", "document"],
    ["a text", "small", "text/plain", "document"],
  ] as const)
    it(`goes out as ${kind}: ${name}`, async () => {
      await using world = await open({ files });
      await world.adapter.send(message(world.chat.id, "see", { attachments: attached(ref, mimeType) }), signal);
      assert.deepEqual(sentTo(world), [[kind, "see"]]);
    });

  for (const [method, ref, mimeType, description] of [
    ["sendVoice", "opus", "audio/ogg", "Bad Request: VOICE_MESSAGES_FORBIDDEN"],
    ["sendVideo", "small", "video/mp4", "Bad Request: VIDEO_FILE_INVALID"],
    ["sendAudio", "small", "audio/mpeg", "Bad Request: MEDIA_INVALID"],
    ["sendPhoto", "picture", "image/png", "Bad Request: PHOTO_INVALID_DIMENSIONS"],
  ] as const)
    it(`goes out as a document when ${method} is refused, and once`, async () => {
      await using world = await open({ files });
      world.server.fail(method, { kind: "answer", code: 400, description, effect: "none" });
      await world.adapter.send(message(world.chat.id, "see", { attachments: attached(ref, mimeType) }), signal);
      assert.deepEqual(sentTo(world), [["document", "see"]]);
    });
});

describe("several files", () => {
  const of = (...all: readonly [ref: string, mimeType: string][]) =>
    all.flatMap(([ref, mimeType]) => attached(ref, mimeType));

  it("are one album, with the text below the first and an id that can be edited", async () => {
    await using world = await open({ files });
    const { adapter, chat } = world;
    const attachments = of(["picture", "image/png"], ["small", "video/mp4"], ["picture", "image/png"]);
    const sent = await adapter.send(message(chat.id, "**see**", { attachments }), signal);
    const shown = chat.messages();
    assert.deepEqual(sentTo(world), [
      ["photo", "see"],
      ["video", ""],
      ["photo", ""],
    ]);
    assert.equal(new Set(shown.map(({ mediaGroupId }) => mediaGroupId)).size, 1);
    assert.equal(sent.messageId, String(shown[0]?.id));
    assert.equal(shown[0]?.html, "<b>see</b>");
    await adapter.edit?.(sent, "changed", signal);
    assert.equal(chat.messages()[0]?.text, "changed");
  });

  it("answer a message, and go without formatting that Telegram cannot read", async () => {
    await using world = await open({ files });
    const { adapter, chat, ada, server } = world;
    const { messageId } = chat.say(ada, "both please");
    const description = "Bad Request: can't parse entities: whatever";
    server.fail("sendMediaGroup", { kind: "answer", code: 400, description, effect: "none" });
    const attachments = of(["small", "text/plain"], ["small", "application/pdf"]);
    const replyTo = brandAs<never>(String(messageId));
    await adapter.send(message(chat.id, "a < b", { attachments, replyTo }), signal);
    const [, first, second] = chat.messages();
    assert.deepEqual([first?.media?.kind, first?.text, first?.replyTo], ["document", "a < b", messageId]);
    assert.equal(second?.media?.kind, "document");
  });

  it("all go as documents when Telegram refuses one of them as a picture", async () => {
    await using world = await open({ files });
    const attachments = of(["picture", "image/png"], ["small", "image/png"]);
    await world.adapter.send(message(world.chat.id, "see", { attachments }), signal);
    assert.deepEqual(sentTo(world), [
      ["document", "see"],
      ["document", ""],
    ]);
  });

  it("are too large together, before anything is sent", async () => {
    await using world = await open({ files });
    const attachments = of(["half", "application/zip"], ["half", "application/zip"]);
    assert.equal(await codeOf(world.adapter.send(message(world.chat.id, "", { attachments }), signal)), "too_large");
    assert.deepEqual(sentTo(world), []);
  });

  it("that are gone stop the whole album", async () => {
    await using world = await open({ files });
    const gone = { ref: brandAs<MediaRef>("gone"), mimeType: "image/png", name: "x.png" };
    const attachments = [...of(["picture", "image/png"]), gone];
    assert.equal(await codeOf(world.adapter.send(message(world.chat.id, "", { attachments }), signal)), "not_found");
    assert.deepEqual(sentTo(world), []);
  });

  for (const [kinds, shown] of [
    [["photo", "video"], "photo,video"],
    [["audio", "audio"], "audio,audio"],
    [["document", "document"], "document,document"],
    [["photo", "document"], "document,document"],
    [["voice", "audio"], "document,document"],
    [["voice", "voice"], "document,document"],
    [["photo", "audio"], "document,document"],
  ] as const)
    it(`${kinds.join(" and ")} go as ${shown}`, () => assert.equal(albumKindsOf(kinds).join(), shown));
});
