import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type Attachment, brandAs, type EventId, isGatewayError, type MediaRef, type UserId } from "@talaria/protocol";
import pg from "pg";
import type { MediaLimits } from "../ports/media.ts";
import { accountId, createTestStore, entryOf, never, type TestStore, textOf } from "../test-store.ts";

const limits: MediaLimits = { maxBytes: 2_000_000, maxPixels: 1_000_000, quotaBytes: 50_000_000 };

async function* pieces(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

function png(width: number, height: number, more = randomBytes(16)): Buffer {
  const head = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0", "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, more]);
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("the media store", () => {
  let database: TestStore;
  before(async () => {
    database = await createTestStore();
  });
  after(() => database[Symbol.asyncDispose]());

  const put = (bytes: Uint8Array, claimed?: string, more: Partial<MediaLimits> = {}) =>
    database.store.media.put(pieces(bytes), claimed, { ...limits, ...more }, never);

  async function sql(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url, options: "-c search_path=talaria" });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  it("gives back what it was given, whatever its length", async () => {
    for (const length of [0, 1, 262_143, 262_144, 262_145, 1_500_000]) {
      const bytes = randomBytes(length);
      const { ref, byteLength } = await put(bytes);
      assert.equal(ref, `sha256:${createHash("sha256").update(bytes).digest("hex")}`);
      assert.equal(byteLength, length);
      assert.ok(bytes.equals(await bytesOf(await database.store.media.open(ref, never))), `${length} bytes`);
    }
  });

  it("keeps the same content once, also when it comes twice at the same time", async () => {
    const bytes = randomBytes(700_000);
    const stored = await Promise.all([put(bytes), put(bytes), put(bytes)]);
    assert.equal(new Set(stored.map(({ ref }) => ref)).size, 1);
    const [row] = await sql(`select count(*)::integer as count from media where byte_length = 700000`);
    assert.equal(row?.count, 1);
  });

  it("refuses what is too long as soon as it is, and keeps nothing of it", async () => {
    let taken = 0;
    async function* endless() {
      for (;;) {
        taken += 100_000;
        yield randomBytes(100_000);
      }
    }
    const refused = database.store.media.put(endless(), undefined, limits, never);
    await assert.rejects(refused, (error) => isGatewayError(error, "too_large") && error.details.reason === "bytes");
    assert.ok(taken <= 2_200_000, `${taken} bytes were read`);
    const left = await sql("select id from media where sha256 is null");
    assert.equal(left.length, 0);
  });

  it("keeps nothing of content that breaks off", async () => {
    async function* broken() {
      yield randomBytes(600_000);
      throw new Error("connection reset");
    }
    await assert.rejects(database.store.media.put(broken(), undefined, limits, never), /connection reset/);
    assert.equal((await sql("select id from media where sha256 is null")).length, 0);
  });

  it("refuses pictures with too many pixels by their header", async () => {
    const refused = put(png(100_000, 100_000), "image/png");
    await assert.rejects(refused, (error) => isGatewayError(error, "too_large") && error.details.reason === "pixels");
  });

  it("finds the size of a JPEG behind long segments", async () => {
    const segment = Buffer.alloc(65_537, 1);
    segment.writeUInt32BE(0xffe1ffff);
    const frame = Buffer.from("ffc00011080010002003012200021101031101", "hex");
    const jpeg = (segments: number) =>
      Buffer.concat([Buffer.from("ffd8", "hex"), ...Array(segments).fill(segment), frame, randomBytes(300_000)]);
    assert.equal((await put(jpeg(0))).mimeType, "image/jpeg");
    assert.equal((await put(jpeg(10))).mimeType, "image/jpeg");
    assert.equal((await put(jpeg(20))).mimeType, "application/octet-stream", "nobody searches for ever");
    const refused = put(jpeg(10), "image/jpeg", { maxPixels: 511 });
    await assert.rejects(refused, (error) => isGatewayError(error, "too_large") && error.details.reason === "pixels");
  });

  it("believes the bytes and not the claim", async () => {
    const typeOf = async (bytes: Uint8Array, claim?: string) => (await put(bytes, claim)).mimeType;
    assert.equal(await typeOf(png(1, 2), "text/plain"), "image/png");
    assert.equal(await typeOf(Buffer.from("<!DOCTYPE html><script>alert(1)</script>"), "image/png"), "text/html");
    assert.equal(await typeOf(Buffer.from('<svg onload="alert(1)"/>'), "image/png"), "image/svg+xml");
    assert.equal(await typeOf(Buffer.from("MZ\x90\0\x03 program"), "image/jpeg"), "application/octet-stream");
    assert.equal(
      await typeOf(Buffer.from("\x89PNG\r\n\x1a\n but nothing more", "latin1"), "image/png"),
      "application/octet-stream",
    );
    assert.equal(await typeOf(Buffer.from('{"a":1}'), "application/json"), "application/json");
    assert.equal(await typeOf(Buffer.from("a,b\n1,2\n"), "text/csv; charset=utf-8"), "text/csv");
    assert.equal(await typeOf(Buffer.from("grüße")), "text/plain");
    assert.equal(await typeOf(Buffer.from("OggS\0voice", "latin1"), "audio/ogg"), "audio/ogg");
  });

  it("tells of content that nobody has stored that it is not there", async () => {
    for (const ref of [`sha256:${"0".repeat(64)}`, "../../etc/passwd", "sha256:' or 1=1", ""]) {
      const opened = database.store.media.open(brandAs<MediaRef>(ref), never);
      await assert.rejects(opened, (error) => isGatewayError(error, "not_found"));
    }
  });

  it("notes what came with an event in its transaction, and who settles the last one learns it", async () => {
    const { store } = database;
    const entry = entryOf("with-files", "files");
    assert.ok(entry.event.type === "message.created");
    const attachments = ["one", "two"].map((ref) => ({
      kind: "file" as const,
      mimeType: "text/plain",
      ref: brandAs<MediaRef>(ref),
    }));
    const event = { ...entry.event, message: { ...entry.event.message, attachments } };
    await store.inbox.record({ ...entry, event });
    const [first, second] = await store.media.toFetch([accountId], [], 10);
    assert.ok(first && second);
    assert.deepEqual([first.attachment.ref, second.attachment.ref, first.n, second.n], ["one", "two", 0, 1]);
    assert.deepEqual(await store.media.toFetch([accountId], [first, second], 10), []);
    const media = await put(Buffer.from("content of one"));
    assert.equal(await store.media.settle(first, { state: "stored", media }), 1);
    await store.media.retryIn(second, 60_000);
    assert.deepEqual(await store.media.toFetch([accountId], [], 10), [], "a failed attempt waits for its time");
    assert.equal(await store.media.settle(second, { state: "failed", problem: "it is gone" }), 0);
    assert.equal(await store.media.settle(second, { state: "stored", media }), 0, "a settled one stays as it is");
    await store.media.saveTranscript(first, "spoken");
    const found = await store.media.ofEvents(accountId, [event.id, brandAs<EventId>("nobody")]);
    assert.deepEqual(
      found.map(({ fetched }) => fetched),
      [
        { state: "stored", media, transcript: "spoken" },
        { state: "failed", problem: "it is gone" },
      ],
    );
    const about = { accountId, eventId: event.id };
    assert.deepEqual(await store.media.fetchedBefore(about, brandAs<MediaRef>("one")), media);
    assert.equal(await store.media.fetchedBefore(about, brandAs<MediaRef>("two")), undefined);
  });

  it("knows a file of ours where it was sent, and nowhere else", async () => {
    const { store } = database;
    const media = await put(Buffer.from("a,b\n1,2\n"));
    const attachments = [{ mimeType: "text/csv", name: "report.csv", ref: media.ref }];
    const [here, elsewhere] = [entryOf("sent-here", "sent-here"), entryOf("sent-elsewhere", "sent-elsewhere")];
    await store.inbox.record(here);
    await store.inbox.record(elsewhere);
    await store.outbox.add([textOf("sent-here", "sent-here", { attachments })]);
    const known = (eventId: EventId) => store.media.fetchedBefore({ accountId, eventId }, media.ref);
    assert.deepEqual(await known(here.event.id), media);
    assert.equal(await known(elsewhere.event.id), undefined, "a hash alone opens nothing");
  });

  it("has pictures and speech of a quoted message fetched with an event, and other files on request, once", async () => {
    const { store } = database;
    const entry = entryOf("with-quote", "files");
    assert.ok(entry.event.type === "message.created");
    const file = (kind: Attachment["kind"], ref: string): Attachment => {
      return { kind, mimeType: "text/plain", ref: brandAs<MediaRef>(ref) };
    };
    const quoted = [
      file("file", "q-file"),
      file("image", "q-image"),
      { ...file("audio", "q-voice"), voice: true as const },
    ];
    const quote = { userId: brandAs<UserId>("u"), displayName: "U", markdown: "", attachments: quoted };
    const event = { ...entry.event, message: { ...entry.event.message, attachments: [file("file", "q-own")], quote } };
    await store.inbox.record({ ...entry, event });
    const due = async () =>
      (await store.media.toFetch([accountId], [], 10)).map(({ n, attachment }) => `${n} ${attachment.ref}`).sort();
    assert.deepEqual(await due(), ["0 q-own", "101 q-image", "102 q-voice"]);
    const key = { accountId, eventId: event.id, n: 100 };
    await store.media.request(key, file("file", "q-file"));
    assert.equal((await due()).length, 4);
    const media = await put(Buffer.from("what was quoted"));
    await store.media.settle(key, { state: "stored", media });
    await store.media.request(key, file("file", "q-file"));
    assert.equal((await due()).length, 3, "it is here");
    const failing = { accountId, eventId: brandAs<EventId>("overheard"), n: 0 };
    for (let time = 0; time < 2; time += 1) {
      await store.media.request(failing, file("file", "elsewhere"));
      assert.equal((await due()).includes("0 elsewhere"), true, "and again after a failure");
      await store.media.settle(failing, { state: "failed", problem: "away" });
    }
    for (const n of [0, 101, 102]) await store.media.settle({ ...key, n }, { state: "failed", problem: "away" });
  });

  it("is cleaned up: what nobody has used for long goes, what a text on its way names stays", async () => {
    await using own = await createTestStore();
    const { store } = own;
    const putOwn = (text: string) => store.media.put(pieces(Buffer.from(text)), undefined, limits, never);
    const [old, needed, fresh] = [await putOwn("old"), await putOwn("needed"), await putOwn("fresh")];
    const attachments = [{ ref: needed.ref, name: "a.txt", mimeType: "text/plain" }];
    await store.outbox.add([textOf("with-file", "files", { attachments })]);
    const client = new pg.Client({ connectionString: own.url, options: "-c search_path=talaria" });
    await client.connect();
    await client.query("update media set last_used_at = now() - interval '91 days' where sha256 <> $1", [
      Buffer.from(fresh.ref.slice(7), "hex"),
    ]);
    await client.end();
    await store.operations.prune(90, never);
    const left = await Promise.all([old, needed, fresh].map(({ ref }) => store.media.describe(ref)));
    assert.deepEqual(
      left.map((one) => one?.ref),
      [undefined, needed.ref, fresh.ref],
    );
  });

  it("makes room by what was used least recently, never by what is needed, and says when it can't", async () => {
    await using own = await createTestStore();
    const { store } = own;
    const quota = { ...limits, quotaBytes: 2_500_000 };
    const putOwn = (bytes: Uint8Array) => store.media.put(pieces(bytes), undefined, quota, never);
    const exists = async (ref: MediaRef) => (await store.media.describe(ref)) !== undefined;
    const [old, needed] = [await putOwn(randomBytes(1_000_000)), await putOwn(randomBytes(1_000_000))];
    const full = putOwn(randomBytes(1_000_000));
    await assert.rejects(full, (error) => isGatewayError(error, "too_large") && error.details.reason === "quota");
    const age = async (client: pg.Client) => client.query("update media set last_used_at = now() - interval '2 hours'");
    const client = new pg.Client({ connectionString: own.url, options: "-c search_path=talaria" });
    await client.connect();
    await age(client);
    const entry = entryOf("waits", "waits");
    assert.ok(entry.event.type === "message.created");
    const attachment = { kind: "file" as const, mimeType: "x/y", ref: brandAs<MediaRef>("p") };
    await store.inbox.record({
      ...entry,
      event: { ...entry.event, message: { ...entry.event.message, attachments: [attachment] } },
    });
    const [due] = await store.media.toFetch([accountId], [], 1);
    assert.ok(due);
    await store.media.settle(due, { state: "stored", media: needed });
    const newest = await putOwn(randomBytes(1_000_000));
    assert.deepEqual([await exists(old.ref), await exists(needed.ref), await exists(newest.ref)], [false, true, true]);
    await client.end();
  });
});
