import assert from "node:assert/strict";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Adapter } from "@talaria/adapter";
import { createSimulatedClock, type SimulatedClock } from "@talaria/testkit";
import { type ReadEvent, readStream } from "./testing/event-reader.ts";
import { makeAdapter, serve, TestChannel, TestHost, turn } from "./testing/served-adapter.ts";

type Reader = Awaited<ReturnType<typeof readStream>>;
const isLast = (id: string) => (event: ReadEvent) => event.id === id;

describe("the stream of a conversation", { timeout: 120_000 }, () => {
  let adapter: Adapter;
  let channel: TestChannel;
  let clock: SimulatedClock;
  let server: Awaited<ReturnType<typeof serve>>;
  const readers: Reader[] = [];

  beforeEach(async () => {
    channel = new TestChannel();
    clock = createSimulatedClock();
    adapter = makeAdapter(channel, clock);
    await adapter.start(new TestHost());
    server = await serve(adapter);
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.leave();
    await adapter.stop();
    assert.equal(channel.readers, 0, "nobody listens any more");
    assert.equal(clock.waiting, 0, "no timer is left");
    await server.stop();
  });

  async function read(headers: Record<string, string> = {}, query = ""): Promise<Reader> {
    const reader = await readStream(`${server.url}/api/conversations/main/stream${query}`, headers);
    readers.push(reader);
    return reader;
  }

  function say(id: string, facts: Parameters<TestChannel["write"]>[1] = {}): void {
    channel.write(id, facts);
    channel.tell({ type: "sent", conversationId: "main" as never });
  }

  it("says that a question which the reader has was decided, once", async () => {
    const reader = await read();
    say("ask:1", { choices: [{ id: "approve-0000000a", label: "Approve" }] });
    await reader.until(isLast("ask:1"));
    const [line] = channel.lines;
    assert.ok(line);
    const closed = { words: "✓ Approved by `Ann`", choices: ["approve-0000000a"] };
    channel.lines[0] = { ...line, closed };
    channel.tell({ type: "sent", conversationId: "main" as never });
    say("d-1");
    await reader.until(isLast("d-1"));
    assert.deepEqual(
      reader.events.map(({ name, id }) => [name, id]),
      [
        ["completed", "ask:1"],
        ["closed", undefined],
        ["completed", "d-1"],
      ],
    );
    assert.deepEqual(reader.events[1]?.data, { id: "ask:1", closed });
  });

  it("says that the conversation was deleted, once", async () => {
    const reader = await read();
    say("d-1");
    await reader.until(isLast("d-1"));
    channel.lines.length = 0;
    for (const _ of [1, 2]) channel.tell({ type: "sent", conversationId: "main" as never });
    say("d-2");
    await reader.until(isLast("d-2"));
    assert.ok(reader.events.filter(({ name }) => name === "deleted").length <= 1);
    channel.lines.length = 0;
    channel.tell({ type: "sent", conversationId: "main" as never });
    await reader.until(({ name }) => name === "deleted");
    channel.tell({ type: "sent", conversationId: "main" as never });
    say("d-3");
    await reader.until(isLast("d-3"));
  });

  it("says beside an answer how much its turn did, and beside a question nothing", async () => {
    const reader = await read();
    channel.did.set(turn, { steps: [{ label: "x", state: "failed", result: "no", leftOutChars: 0 }], earlier: 0 });
    say("ask:2", { turnId: turn, outcome: "completed" });
    say("d-2", { turnId: turn, outcome: "completed" });
    await reader.until(isLast("d-2"));
    const seen = reader.events.map(({ data }) => (data as { steps?: unknown }).steps);
    assert.deepEqual(seen, [undefined, { count: 1, failed: 1 }]);
    channel.did.clear();
  });

  it("shows a reply while it grows, and then its line", async () => {
    const reader = await read();
    say("e-1", { from: "person", markdown: "grow, please" });
    await reader.until(isLast("e-1"));
    channel.frame({ type: "started" });
    channel.frame({ type: "status", label: "thinking", n: 1 });
    channel.frame({ type: "delta", offset: 0, text: "Hel\n\ndata: x", n: 2 });
    channel.frame({ type: "ended", status: "completed", n: 3 });
    say("d-1", { turnId: turn, markdown: "Hello 😀", outcome: "completed" });
    await reader.until(isLast("d-1"));
    assert.deepEqual(
      reader.events.map(({ name, id }) => [name, id]),
      [
        ["message", "e-1"],
        ["started", undefined],
        ["status", undefined],
        ["delta", undefined],
        ["completed", "d-1"],
      ],
    );
    const [, started, status, delta, completed] = reader.events;
    assert.deepEqual(started?.data, { turnId: turn });
    assert.deepEqual(status?.data, { turnId: turn, label: "thinking" });
    assert.deepEqual(delta?.data, { turnId: turn, offset: 0, text: "Hel\n\ndata: x" });
    assert.deepEqual(completed?.data, channel.lines[1]);
  });

  it("tells a failed turn by its line, and a stopped one at once", async () => {
    const reader = await read();
    channel.frame({ type: "ended", status: "failed" });
    say("d-1", { turnId: turn, outcome: "failed" });
    channel.frame({ type: "ended", status: "aborted" });
    say("d-2", { turnId: turn, outcome: "aborted" });
    await reader.until(isLast("d-2"));
    const told = reader.events.map(({ name, id, data }) => [name, id ?? data.reason]);
    assert.deepEqual(told.toSorted(), [
      ["completed", "d-2"],
      ["failed", "d-1"],
      ["failed", "stopped"],
    ]);
  });

  it("shows nothing of another conversation", async () => {
    const reader = await read();
    channel.frame({ type: "delta", offset: 0, text: "secret" }, "other");
    const { reads } = channel;
    channel.tell({ type: "sent", conversationId: "other" as never });
    assert.equal(channel.reads, reads);
    say("d-1");
    await reader.until(isLast("d-1"));
    assert.equal(reader.events.length, 1);
  });

  it("drops what a worker says that has lost the session", async () => {
    const reader = await read();
    channel.frame({ type: "delta", offset: 0, text: "old", fence: 1 });
    channel.frame({ type: "delta", offset: 0, text: "new", fence: 2 });
    channel.frame({ type: "delta", offset: 3, text: "late", fence: 1 });
    say("d-1");
    await reader.until(isLast("d-1"));
    assert.deepEqual(
      reader.events.flatMap(({ data }) => data.text ?? []),
      ["old", "new"],
    );
  });

  it("begins with what is new, without a place to go on from", async () => {
    for (const id of ["d-1", "d-2"]) channel.write(id);
    const reader = await read();
    say("d-3");
    await reader.until(isLast("d-3"));
    assert.deepEqual(
      reader.events.map(({ id }) => id),
      ["d-3"],
    );
  });

  it("repairs a gap from the last event id, by header or by address", async () => {
    for (const id of ["d-1", "d-2", "d-3"]) channel.write(id);
    for (const reader of [await read({ "last-event-id": "d-1" }), await read({}, "?after=d-1")]) {
      await reader.until(isLast("d-3"));
      assert.deepEqual(
        reader.events.map(({ id }) => id),
        ["d-2", "d-3"],
      );
    }
  });

  it("repeats the end of the history after a place it does not know", async () => {
    for (let n = 0; n < 150; n += 1) channel.write(`d-${n}`);
    const reader = await read({ "last-event-id": "d-3" });
    await reader.until(isLast("d-149"));
    assert.equal(reader.events.length, 100);
    assert.equal(reader.events[0]?.id, "d-50");
  });

  it("opens only when it knows what is new, so that nothing falls between history and stream", async () => {
    const gate = Promise.withResolvers<void>();
    channel.beforeHistory = () => gate.promise;
    let isOpen = false;
    const opening = read().then((reader) => {
      isOpen = true;
      return reader;
    });
    while (channel.reads === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOpen, false);
    gate.resolve();
    const reader = await opening;
    say("d-1");
    await reader.until(isLast("d-1"));
  });

  it("looks once for a burst of news, and misses none of it", async () => {
    const reader = await read();
    const { reads } = channel;
    for (let n = 0; n < 50; n += 1) say(`d-${n}`);
    await reader.until(isLast("d-49"));
    assert.equal(reader.events.length, 50);
    assert.ok(channel.reads - reads <= 3, `${channel.reads - reads} looks`);
  });

  it("goes on after a history that could not be read", async () => {
    const reader = await read();
    channel.beforeHistory = () => Promise.reject(new Error("the store is away"));
    say("d-1");
    await new Promise((resolve) => setImmediate(resolve));
    channel.beforeHistory = async () => undefined;
    say("d-2");
    await reader.until(isLast("d-2"));
    assert.deepEqual(
      reader.events.map(({ id }) => id),
      ["d-1", "d-2"],
    );
  });

  it("tells whoever asks that the list of conversations is another one, once in a while, and owners of other platforms", async () => {
    const told = ({ events }: Reader) => events.filter(({ name }) => name === "changed").map(({ data }) => data);
    const owner = await read({}, "?news");
    const silent = await read();
    channel.role = "member";
    const member = await read({}, "?news");
    const nextOf = async (line: string) => {
      say(line);
      for (const reader of [owner, member, silent]) await reader.until(isLast(line));
    };
    for (let n = 0; n < 50; n += 1) channel.tell({ type: "elsewhere" });
    await nextOf("d-1");
    assert.deepEqual([told(owner), told(member), told(silent)], [[{ elsewhere: true }], [{}], []]);
    await clock.advance(1_000);
    channel.frame({ type: "delta", offset: 0, text: "x" }, "other");
    channel.tell({ type: "sent", conversationId: "other" as never });
    channel.tell({ type: "elsewhere" });
    await clock.advance(1_000);
    channel.frame({ type: "delta", offset: 0, text: "y" }, "other");
    await clock.advance(1_000);
    await nextOf("d-2");
    assert.deepEqual(told(owner), [{ elsewhere: true }, {}, {}, {}]);
    assert.deepEqual(told(silent), []);
  });

  it("is not opened while the history cannot be read", async () => {
    channel.beforeHistory = () => Promise.reject(new Error("the store is away"));
    assert.equal((await fetch(`${server.url}/api/conversations/main/stream`)).status, 503);
    assert.equal(channel.readers, 0);
  });

  it("shows that it lives", async () => {
    const reader = await read();
    await clock.advance(31_000);
    say("d-1");
    await reader.until(isLast("d-1"));
    assert.deepEqual(reader.comments, ["open", "still here", "still here"]);
  });

  it("ends when the adapter stops", async () => {
    const reader = await read();
    await adapter.stop();
    assert.equal(await reader.end(), "ended");
  });

  it("is forgotten when its reader leaves", async () => {
    const reader = await read();
    assert.equal(channel.readers, 1);
    await reader.leave();
    while (channel.readers > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it("leaves out deltas for a slow reader, keeps its lines, and cuts it off when it takes nothing", async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET /api/conversations/main/stream HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    const before = process.memoryUsage();
    const text = "x".repeat(10_000);
    for (let n = 0; n < 30_000; n += 1) {
      channel.frame({ type: "delta", offset: 0, text, n });
      if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const after = process.memoryUsage();
    const grownMiB = (after.external + after.arrayBuffers - before.external - before.arrayBuffers) / 1_048_576;
    assert.ok(grownMiB < 32, `${grownMiB} MiB kept of 300`);
    say("d-1");
    await clock.advance(16_000);
    assert.equal(channel.readers, 1, "it had time until now");
    await clock.advance(15_000);
    assert.equal(channel.readers, 0);
    socket.resume();
    await closed;
  });
});
