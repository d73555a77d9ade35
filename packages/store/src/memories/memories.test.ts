import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { brandAs, type Instant, type MessageId, type ProcessId, type TurnId, turnIdOf } from "@talaria/protocol";
import pg from "pg";
import type { SessionEffect } from "../ports/inbox.ts";
import type { StoredContext } from "../ports/memories.ts";
import type { MemoryEffect } from "../ports/memory-effect.ts";
import type { StoredEntry } from "../ports/turns.ts";
import {
  accountId,
  answered,
  beginTurn,
  claim,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  never,
  newAccountLease,
  newWorker,
  said,
  type TestStore,
  textOf,
} from "../test-store.ts";

type Effect<Kind> = Kind extends MemoryEffect["kind"]
  ? Omit<Extract<MemoryEffect, { kind: Kind }>, "sessionKey">
  : { readonly kind: Kind };

describe("memories", () => {
  let test: TestStore;
  let client: pg.Client;
  let worker: ProcessId;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    worker = await newWorker(test.store);
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  const settle = async <Kind extends MemoryEffect["kind"] | "reset" | "retry" | "stop">(
    session: string,
    effect: Effect<Kind>,
    more: object = {},
    id = `command-${randomUUID()}`,
  ) => {
    const settled = await test.store.inbox.settle({
      event: eventOf(id, session),
      outcome: "command",
      reason: "command",
      effect: { ...effect, sessionKey: keyOf(session) } as unknown as SessionEffect,
      ...more,
    });
    return settled.outcome === "settled" ? settled.applied : settled.outcome;
  };
  const turnOf = (session: string, seq: number): TurnId => turnIdOf(keyOf(session), seq);

  /** Records an event and answers it. */
  async function live(id: string, session: string, entries: readonly StoredEntry[] = [], context?: StoredContext) {
    await test.store.inbox.record(entryOf(id, session));
    const turn = await beginTurn(test.store, session, worker);
    const { turnId } = turn.start;
    await test.store.turns.append(turn.lease, turnId, entries);
    const end = { turnId, outcome: "completed", entries: [answered(id)], outbox: [] } as const;
    await test.store.turns.commit(turn.lease, { ...end, ...(context && { context }) });
    return turn;
  }

  /** What the next turn would begin with. */
  async function seen(session: string) {
    await test.store.inbox.record(entryOf(`look-${randomUUID()}`, session));
    const found = await claim(test.store, session, worker);
    const drop = found.pending.map(({ seq }) => ({ seq, reason: "looked" }));
    await test.store.turns.drop(found.lease, drop);
    await test.store.turns.release(found.lease);
    return found;
  }
  const words = async (session: string) =>
    (await seen(session)).history.flatMap((entry) =>
      entry.kind === "user" ? [(entry as { text?: string }).text] : [],
    );

  it("begin with what another one held, byte for byte, and with its prompt and tools", async () => {
    const untrusted = { kind: "tool.result", content: "a page", untrusted: true, z: 1, a: { y: 1, b: 2 } };
    const first = await live("b1", "branch", [untrusted]);
    await test.store.inbox.record(entryOf("b2", "branch"));
    const second = await beginTurn(test.store, "branch", worker);
    await test.store.turns.keepTools(second.lease, second.start.turnId, "shown tools");
    await completeTurn(test.store, second);
    const before = await seen("branch");
    assert.equal(await settle<"branch">("branch", { kind: "branch", title: "Branch" }), true);
    const branch = await seen("branch");
    assert.equal(JSON.stringify(branch.history), JSON.stringify(before.history));
    assert.deepEqual([branch.prompt, branch.tools], [first.start.prompt, "shown tools"]);
    const { rows } = await client.query("select from entry where session_key = $1", [keyOf("branch")]);
    assert.equal(rows.length, before.history.length, "no entry was copied");
    assert.equal(await settle<"branch">("branch", { kind: "branch", turnId: turnOf("branch", 1), title: "" }), true);
    assert.deepEqual((await seen("branch")).history, [said("b1"), untrusted, answered("b1")]);
  });

  it("keep what another one takes back, and are not changed by what it takes back of theirs", async () => {
    for (const id of ["s1", "s2", "s3"]) await live(id, "shared");
    await settle<"branch">("shared", { kind: "branch", turnId: turnOf("shared", 2), title: "" });
    await live("s4", "shared");
    const undo = (...seqs: readonly number[]) =>
      settle<"undo">("shared", { kind: "undo", turns: seqs.map((seq) => turnOf("shared", seq)) });
    const numbers = (await test.store.memories.list(keyOf("shared"), 9)).map(({ number }) => number);
    const live4 = (await test.store.memories.turns(keyOf("shared"), 1))[0]?.turnId;
    assert.ok(live4);
    assert.equal(await settle<"undo">("shared", { kind: "undo", turns: [live4, turnOf("shared", 2)] }), true);
    assert.deepEqual(await words("shared"), ["s1"]);
    assert.equal(await settle<"resume">("shared", { kind: "resume", number: 1 }), true);
    assert.deepEqual(await words("shared"), ["s1", "s2", "s3"]);
    assert.equal(await undo(3, 2), true);
    assert.equal(await settle<"resume">("shared", { kind: "resume", number: numbers[0] ?? 0 }), true);
    assert.deepEqual(await words("shared"), ["s1"]);
    const { rows } = await client.query("select turn_id from turn where session_key = $1 and retracted", [
      keyOf("shared"),
    ]);
    assert.deepEqual(rows, [], "no turn that another memory holds");
  });

  it("are changed by the newest turns alone, and not while something runs or waits", async () => {
    for (const id of ["n1", "n2"]) await live(id, "newest");
    const undo = { kind: "undo", turns: [turnOf("newest", 1)] } as const;
    assert.equal(await settle<"undo">("newest", undo), false, "it is not the newest");
    assert.equal(await settle<"undo">("newest", { kind: "undo", turns: [] }), false);
    const all: readonly Effect<MemoryEffect["kind"]>[] = [
      { kind: "undo", turns: [turnOf("newest", 2)] },
      { kind: "branch", title: "" },
      { kind: "resume", number: 1 },
    ];
    await settle<"reset">("newest", { kind: "reset" });
    await live("n3", "newest");
    await test.store.inbox.record(entryOf("n4", "newest"));
    for (const effect of all) assert.equal(await settle("newest", effect), false, `${effect.kind}, one waits`);
    const running = await beginTurn(test.store, "newest", worker);
    for (const effect of all) assert.equal(await settle("newest", effect), false, `${effect.kind}, one runs`);
    await completeTurn(test.store, running);
    assert.deepEqual(await words("newest"), ["n3", "n4"]);
  });

  it("are not changed by a worker that begins what it had claimed before", async () => {
    await live("late-1", "late");
    await settle<"reset">("late", { kind: "reset" });
    await live("late-2", "late");
    await test.store.inbox.record(entryOf("late-3", "late"));
    const found = await claim(test.store, "late", worker);
    await settle<"stop">("late", { kind: "stop" });
    assert.equal(await settle<"resume">("late", { kind: "resume", number: 1 }), true);
    assert.equal(await settle<"branch">("late", { kind: "branch", title: "" }), true);
    const start = { turnId: turnOf("late", 3), take: [3], drop: [], route: conversationOf("late"), prompt: "other" };
    await test.store.turns.begin(found.lease, { ...start, entries: [said("late-3")] });
    assert.equal(await test.store.turns.cancelled(found.lease, 3), "stopped");
    await test.store.turns.commit(found.lease, { turnId: start.turnId, outcome: "aborted", entries: [], outbox: [] });
    assert.deepEqual(await words("late"), ["late-1"]);
    await settle<"resume">("late", { kind: "resume", number: 1 });
    assert.deepEqual(await words("late"), ["late-1"]);
    await settle<"resume">("late", { kind: "resume", number: 2 });
    assert.deepEqual(await words("late"), ["late-2", "late-3"], "those of a stopped turn stay where they were said");
    assert.equal((await seen("late")).prompt, "be kind");
  });

  it("let go of calls that wait and of what was agreed to, when they are taken back or left", async () => {
    const { store } = test;
    const call = { callId: "c", name: "deploy", arguments: "{}", shown: "Deploy?", askers: [] } as const;
    const terms = { waitsFor: "approval", expiresAt: brandAs<Instant>("2100-01-01T00:00:00.000Z") } as const;
    const ask = async (id: string, callId: string) => {
      await store.inbox.record(entryOf(id, "calls"));
      const turn = await beginTurn(store, "calls", worker);
      const offer = { scopes: ["session"] as const, covers: "deploys", terms: {} };
      const asks = [`${id}a`, `${id}b`].map((name) => ({
        ask: { ...call, ...terms, id: name, callId: `${callId}-${name}`, offer },
      }));
      await store.turns.append(turn.lease, turn.start.turnId, [], asks);
      await completeTurn(store, turn);
      const by = eventOf("by", "calls").sender;
      const grant = { scope: "session", byRole: "owner" } as const;
      await store.calls.settle({ id: `${id}a`, sessionKey: keyOf("calls"), settlement: "approved", by, grant });
      await completeTurn(store, await beginTurn(store, "calls", worker));
    };
    const waiting = async () => (await store.calls.waiting(keyOf("calls"))).map(({ id }) => id);
    const grants = async () => (await store.calls.grants(keyOf("calls"), accountId)).map(({ id }) => id);
    await ask("c1", "1");
    await ask("c2", "2");
    assert.deepEqual(
      [await waiting(), (await grants()).sort()],
      [
        ["c1b", "c2b"],
        ["c1a", "c2a"],
      ],
    );
    const last = (await store.memories.turns(keyOf("calls"), 2)).map(({ turnId }) => turnId);
    assert.equal(await settle<"undo">("calls", { kind: "undo", turns: last }), true);
    assert.deepEqual([await waiting(), await grants()], [["c1b"], ["c1a"]]);
    assert.equal(await settle<"branch">("calls", { kind: "branch", title: "" }), true);
    assert.deepEqual([await waiting(), await grants()], [[], []]);
  });

  it("are found by a message in or out, of the same session only, while one of them holds its turn", async () => {
    const { store } = test;
    for (const id of ["f1", "f2"]) await live(id, "found");
    await live("g1", "foreign");
    await store.inbox.record(entryOf("f3", "found"));
    const turn = await beginTurn(store, "found", worker);
    await completeTurn(store, turn);
    const lease = await newAccountLease(store);
    for (const row of await store.outbox.due(lease, [], 100)) {
      const sent = {
        state: "sent",
        attempts: 1,
        unknown: 0,
        messageId: brandAs<MessageId>(`out-${row.turnId}`),
      } as const;
      const part = { markdown: row.markdown, attachments: [], ...sent };
      await store.outbox.update(lease, { id: row.id, state: "sent", parts: [part] });
    }
    const place = { accountId, conversationId: conversationOf("found").conversationId };
    const find = (messageId: string) =>
      store.memories.turnOf(keyOf("found"), { ...place, messageId: brandAs<MessageId>(messageId) });
    assert.deepEqual(
      (await find("m-f1"))?.asked.map(({ words: one }) => one),
      ["f1"],
    );
    assert.equal((await find(`out-${turn.start.turnId}`))?.turnId, turn.start.turnId);
    assert.equal(await find("m-g1"), undefined);
    const elsewhere = { ...place, conversationId: conversationOf("foreign").conversationId };
    const foreign = { ...elsewhere, messageId: brandAs<MessageId>("m-g1") };
    assert.equal(await store.memories.turnOf(keyOf("found"), foreign), undefined);
    assert.equal(await settle<"branch">("found", { kind: "branch", turnId: turnOf("foreign", 1), title: "" }), false);
    await settle<"undo">("found", { kind: "undo", turns: [turnOf("found", 3), turnOf("found", 2)] });
    assert.equal(await find("m-f2"), undefined, "taken back");
    await settle<"reset">("found", { kind: "reset" });
    assert.equal((await find("m-f1"))?.turnId, turnOf("found", 1), "a former memory has it");
    await settle<"resume">("found", { kind: "resume", number: 1 });
    await settle<"undo">("found", { kind: "undo", turns: [turnOf("found", 1)] });
    assert.equal(await find("m-f1"), undefined, "taken back from a memory that goes on");
    assert.equal(await settle<"branch">("found", { kind: "branch", turnId: turnOf("found", 1), title: "" }), false);
  });

  it("keep a title that came before their first turn, and freeze the prompt of that turn", async () => {
    await live("t0", "titled");
    await settle<"reset">("titled", { kind: "reset" });
    await settle<"title">("titled", { kind: "title", title: "Rome" });
    assert.equal((await seen("titled")).prompt, undefined);
    await live("t1", "titled");
    await live("t2", "titled");
    const { prompt } = await seen("titled");
    assert.equal(prompt, "be kind");
    const [current] = await test.store.memories.list(keyOf("titled"), 5);
    assert.deepEqual([current?.title, current?.beginning, current?.turns], ["Rome", "t1", 2]);
  });

  it("know what fills the window, as the last turn has said it; what cannot be read is unknown", async () => {
    const parts = { prompt: 1, tools: 2, words: 3, answers: 4, results: 5, checkpoint: 6 };
    const at = brandAs<Instant>("2026-11-23T10:00:00.000Z");
    const context = { tokens: 21, windowTokens: 100, parts, compressions: 1, at };
    const known = async () => (await test.store.memories.current(keyOf("filled")))?.memory.context;
    await live("x1", "filled", [], context);
    assert.deepEqual(await known(), context);
    await live("x2", "filled");
    assert.deepEqual(await known(), context, "a turn that says nothing changes nothing");
    await live("x3", "filled", [], { ...context, tokens: 22 });
    assert.equal((await known())?.tokens, 22);
    await settle<"branch">("filled", { kind: "branch", title: "" });
    assert.equal((await known())?.tokens, 22, "all of it is in the branch");
    await settle<"branch">("filled", { kind: "branch", turnId: turnOf("filled", 1), title: "" });
    assert.equal(await known(), undefined);
    await settle<"resume">("filled", { kind: "resume", number: 1 });
    assert.equal((await known())?.tokens, 22);
    await client.query(`update memory set context = '{"tokens": -1}' where session_key = $1`, [keyOf("filled")]);
    assert.equal(await known(), undefined);
  });

  it("are compressed by the first turn that begins after somebody has asked for it, and once", async () => {
    assert.equal(await settle<"compact">("small", { kind: "compact" }), false, "nobody has written there");
    await live("k1", "small");
    assert.equal((await seen("small")).compact, undefined);
    await test.store.inbox.record(entryOf("k2", "small"));
    const running = await beginTurn(test.store, "small", worker);
    assert.equal(await settle<"compact">("small", { kind: "compact" }), true);
    await test.store.turns.handOver(running.lease);
    assert.equal((await claim(test.store, "small", worker)).compact, undefined, "not the one that runs");
    await completeTurn(test.store, { ...running, lease: (await claim(test.store, "small", worker)).lease });
    assert.equal((await seen("small")).compact, true);
    await test.store.inbox.record(entryOf("k3", "small"));
    const next = await beginTurn(test.store, "small", worker);
    await test.store.turns.handOver(next.lease);
    const again = await claim(test.store, "small", worker);
    assert.equal(again.compact, true, "also after its worker has died");
    await completeTurn(test.store, { ...next, lease: again.lease });
    assert.equal((await seen("small")).compact, undefined);
  });

  it("are changed as a whole or not at all, and once: the notice belongs to it", async () => {
    for (const id of ["w1", "w2"]) await live(id, "whole");
    const undo = { kind: "undo", turns: [turnOf("whole", 2)] } as const;
    await client.query("alter table outbox rename to outbox_away");
    const notice = textOf("notice of undo", "whole");
    const failed = settle<"undo">("whole", undo, { notice }, "undo-once").catch(() => "failed");
    assert.equal(await failed, "failed");
    await client.query("alter table outbox_away rename to outbox");
    assert.deepEqual(await words("whole"), ["w1", "w2"]);
    assert.equal(await settle<"undo">("whole", undo, { notice }, "undo-once"), true);
    assert.equal(await settle<"undo">("whole", undo, { notice }, "undo-once"), "duplicate");
    assert.deepEqual(await words("whole"), ["w1"]);
  });

  it("are cut for themselves when they grow too long", async () => {
    for (let n = 1; n <= 6; n += 1) await live(`cut-${n}`, "cut");
    await settle<"branch">("cut", { kind: "branch", title: "" });
    await test.store.inbox.record(entryOf("cut-7", "cut"));
    const limits = { historyEntries: 8, historyBytes: 1_000_000, pendingEvents: 50, givenUpMarkdown: "" };
    const found = await test.store.turns.claim(keyOf("cut"), worker, limits);
    assert.deepEqual(
      found?.history.filter(({ kind }) => kind === "user"),
      [said("cut-5"), said("cut-6")],
    );
    await test.store.turns.handOver(found.lease);
    await settle<"stop">("cut", { kind: "stop" });
    assert.equal(await settle<"branch">("cut", { kind: "branch", turnId: turnOf("cut", 4), title: "" }), true);
    assert.deepEqual(await words("cut"), ["cut-1", "cut-2", "cut-3", "cut-4"], "the first memory holds it");
    await settle<"resume">("cut", { kind: "resume", number: 2 });
    const undo = { kind: "undo", turns: [turnOf("cut", 6), turnOf("cut", 5)] } as const;
    assert.equal(await settle<"undo">("cut", undo), true);
    assert.deepEqual(await words("cut"), [], "what was cut off does not come back");
    await settle<"resume">("cut", { kind: "resume", number: 1 });
    assert.equal((await words("cut")).length, 6);
  });

  it("stay as long as somebody uses what they begin with, and go when nobody has for long", async () => {
    const key = keyOf("aged");
    const grow = () => client.query("update entry set created_at = created_at - interval '40 days'");
    const rows = async (table: string) => {
      const found = await client.query(`select generation from ${table} where session_key = $1 order by 1`, [key]);
      return found.rows.map(({ generation }) => generation as number);
    };
    await live("a1", "aged");
    await live("a2", "aged");
    await settle<"branch">("aged", { kind: "branch", turnId: turnOf("aged", 1), title: "" });
    await live("a3", "aged");
    await grow();
    await test.store.operations.prune(30, never);
    assert.deepEqual(await rows("entry"), [1, 1, 2, 2], "what the branch does not begin with has gone");
    assert.deepEqual(await words("aged"), ["a1", "a3"]);
    assert.deepEqual(
      (await test.store.memories.list(key, 9)).map(({ number }) => number),
      [2, 1],
    );
    await settle<"reset">("aged", { kind: "reset" });
    await live("a4", "aged");
    await test.store.operations.prune(30, never);
    assert.deepEqual([await rows("entry"), await rows("memory")], [[3, 3], [3]]);
    await grow();
    await live("a5", "aged");
    await settle<"reset">("aged", { kind: "reset" });
    await live("a6", "aged");
    await test.store.operations.prune(30, never);
    assert.deepEqual(await rows("entry"), [3, 3, 3, 3, 4, 4], "used lately, it stays as a whole");
  });
});
