import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProcessId } from "@talaria/protocol";
import { answered, limits, never, newWorker, said, startOf, textOf } from "../test-store.ts";
import { useWebChats } from "./web-chats.fixture.ts";

describe("a conversation that is deleted", () => {
  const chats = useWebChats();
  const { say, reply, key, lines, place, session, shown, idsOf, sql } = chats;

  async function begin(name: string) {
    const worker = await newWorker(chats.store);
    const claimed = await chats.store.turns.claim(session(name), worker, limits);
    assert.ok(claimed !== undefined);
    const start = { ...startOf(claimed), route: place(name) };
    await chats.store.turns.begin(claimed.lease, start);
    return { worker, lease: claimed.lease, turnId: start.turnId };
  }

  async function end(
    name: string,
    { lease, turnId }: Awaited<ReturnType<typeof begin>>,
    outcome: "completed" | "aborted",
  ) {
    const more = { kind: "reply", conversation: place(name), turnId, sessionKey: session(name) } as const;
    const text = textOf(`reply:${turnId}`, name, { ...more, markdown: "a secret answer" });
    await chats.store.turns.commit(lease, { turnId, outcome, entries: [answered("a secret answer")], outbox: [text] });
  }

  const forget = (name: string) =>
    chats.store.chats.forget({ ...key(name), sessionKey: session(name), why: "deleted" }, never);

  const rowsWith = async (words: string) => {
    const found: string[] = [];
    for (const table of [
      "inbox",
      "turn",
      "entry",
      "outbox",
      "memory",
      "open_call",
      "given_command",
      "overheard",
      "chat_line",
    ])
      for (const { n } of await sql(
        `select count(*)::integer as n from ${table} as one where one::text like '%${words}%'`,
      ))
        if (n > 0) found.push(table);
    return found;
  };

  it("is in no list, no history and no search, and its words are in no table", async () => {
    await say("d-1", "gone", "my secret plan");
    const turn = await begin("gone");
    await end("gone", turn, "completed");
    await chats.store.chats.name(key("gone"), "secret name");
    assert.equal((await shown("gone"))?.title, "secret name");
    await sql("update outbox set state = 'sent', settled_at = now()");

    assert.deepEqual(await forget("gone"), { ended: [] });
    assert.equal(await shown("gone"), undefined);
    assert.deepEqual(await lines("gone"), []);
    assert.deepEqual(await idsOf({ words: "secret" }), []);
    assert.deepEqual(await rowsWith("secret"), []);
    assert.equal(await chats.store.chats.name(key("gone"), "again"), undefined);
    const claimed = await chats.store.turns.claim(session("gone"), await newWorker(chats.store), limits);
    assert.equal(claimed, undefined, "nothing waits");
  });

  it("begins anew with the next message, and remembers nothing", async () => {
    await say("n-1", "anew", "the first word");
    await end("anew", await begin("anew"), "completed");
    await chats.store.chats.name(key("anew"), "old name");
    await forget("anew");
    await say("n-2", "anew", "the second word");
    assert.deepEqual(
      (await lines("anew")).map(({ markdown }) => markdown),
      ["the second word"],
    );
    const found = await shown("anew");
    assert.deepEqual([found?.beginning, found?.unread, found?.title], ["the second word", 0, undefined]);
    const claimed = await chats.store.turns.claim(session("anew"), await newWorker(chats.store), limits);
    assert.deepEqual(
      claimed?.pending.map(({ event }) => event.id),
      ["n-2"],
    );
    assert.ok(!JSON.stringify(claimed).includes("first word"));
  });

  it("says nothing more of a turn that still ran, and loses the rest once that has ended", async () => {
    await say("r-1", "running", "a hidden question");
    const turn = await begin("running");
    await chats.store.turns.append(turn.lease, turn.turnId, [said("a hidden question")]);
    await say("r-2", "running", "a hidden addition");
    const { holder } = await forget("running");
    assert.equal(holder, turn.worker satisfies ProcessId);
    assert.deepEqual(await lines("running"), []);
    await end("running", turn, "aborted");
    assert.deepEqual(await lines("running"), []);
    assert.equal(await shown("running"), undefined);
    assert.ok((await rowsWith("hidden")).length > 0);
    assert.deepEqual(await chats.store.memories.list(session("running"), 10), []);
    await chats.store.operations.prune(30, never);
    assert.deepEqual(await rowsWith("hidden"), []);
    assert.equal(await shown("running"), undefined);
  });

  it("takes along what is on its way out, and what was asked", async () => {
    await say("o-1", "asked", "run it");
    const { lease, turnId } = await begin("asked");
    const ask = {
      id: "0000000f",
      callId: "c",
      name: "run",
      arguments: "{}",
      waitsFor: "approval",
      shown: "ls",
      askers: [],
    };
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await chats.store.turns.append(lease, turnId, [said("x")], [{ ask: { ...ask, expiresAt } }] as never);
    await reply("o-2", "asked", "still pending");
    assert.equal((await shown("asked"))?.waiting, 1);
    await forget("asked");
    const [call] = await sql("select settlement from open_call where id = '0000000f'");
    assert.equal(call.settlement, "cancelled");
    assert.deepEqual(await sql("select 1 from outbox where delivery_key = 'o-2'"), []);
  });

  it("may be one that nobody knows, or that is deleted again", async () => {
    assert.deepEqual(await forget("nowhere"), { ended: [] });
    await say("t-1", "twice");
    await forget("twice");
    await forget("twice");
    assert.equal(await shown("twice"), undefined);
    await say("t-2", "twice");
    assert.equal((await shown("twice"))?.preview, "t-2");
  });

  it("keeps what is said after it, also where there was nothing to forget", async () => {
    await say("e-1", "empty");
    const turn = await begin("empty");
    await sql("delete from entry where session_key = 'web/empty'");
    await chats.store.turns.commit(turn.lease, { turnId: turn.turnId, outcome: "aborted", entries: [], outbox: [] });
    await forget("empty");
    await forget("empty");
    await say("e-2", "empty");
    const later = await begin("empty");
    await chats.store.turns.append(later.lease, later.turnId, [said("kept words")]);
    await end("empty", later, "completed");
    await chats.store.operations.prune(30, never);
    assert.deepEqual(await rowsWith("kept words"), ["entry"]);
    assert.equal((await chats.store.memories.list(session("empty"), 10)).length, 1);
  });

  it("may be one that nobody has listed yet", async () => {
    await say("y-1", "young");
    await chats.list();
    await sql("delete from chat where conversation_id = 'young'");
    await forget("young");
    assert.deepEqual(await lines("young"), []);
    assert.equal(await shown("young"), undefined);
    await say("y-2", "young");
    assert.deepEqual(
      (await lines("young")).map(({ markdown }) => markdown),
      ["y-2"],
    );
    assert.equal((await shown("young"))?.preview, "y-2");
  });

  it("leaves every other conversation as it is, also one whose name goes on like its own", async () => {
    await say("k-1", "kept", "keep me");
    await say("k-2", "kept-too", "keep me, too");
    await end("kept-too", await begin("kept-too"), "completed");
    await forget("kept");
    assert.equal((await lines("kept-too")).length, 2);
    assert.deepEqual(await rowsWith("keep me, too"), ["inbox", "memory"]);
  });
});
