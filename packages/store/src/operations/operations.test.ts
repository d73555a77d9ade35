import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type AccountId, brandAs, type Conversation, type MessageId, type TurnId } from "@talaria/protocol";
import pg from "pg";
import {
  accountId,
  beginTurn,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newAccountLease,
  newWorker,
  type TestStore,
  textOf,
} from "../test-store.ts";

describe("operations", () => {
  let test: TestStore;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  /** Records, answers and delivers one event under the message id `<id>-out`. */
  async function live(id: string, session: string, more: readonly { kind: string }[] = []): Promise<string> {
    const { store } = test;
    await store.inbox.record(entryOf(id, session));
    const turn = await beginTurn(store, session, await newWorker(store));
    await store.turns.append(turn.lease, turn.start.turnId, [
      { kind: "tool.started", name: "clock" } as { kind: string },
      ...more,
    ]);
    await completeTurn(store, turn);
    const lease = await newAccountLease(store);
    for (const row of await store.outbox.due(lease, [], 100)) {
      const messageId = brandAs<MessageId>(`${id}-out`);
      const part = {
        markdown: row.markdown,
        attachments: [],
        state: "sent",
        attempts: 1,
        unknown: 0,
        messageId,
      } as const;
      await store.outbox.update(lease, { id: row.id, state: "sent", parts: [part] });
    }
    return turn.start.turnId;
  }

  it("traces a message by every id it has, without a word of it", async () => {
    const turnId = await live("traced", "traced");
    const traces = await Promise.all(
      ["traced", "m-traced", turnId, "traced-out"].map((id) => test.store.operations.trace(id)),
    );
    for (const found of traces) assert.deepEqual(found, traces[0]);
    const [trace] = traces[0]!;
    assert.deepEqual([trace?.eventId, trace?.turnId, trace?.sessionKey], ["traced", turnId, keyOf("traced")]);
    const steps = trace!.steps.map(({ step }) => step);
    assert.deepEqual(
      steps.toSorted(),
      ["received", "recorded", "turn began", "tool", "model answered", "turn ended", "sending", "sent"].toSorted(),
    );
    assert.deepEqual(
      trace!.steps.map(({ at }) => at),
      trace!.steps.map(({ at }) => at).toSorted(),
    );
    assert.equal(JSON.stringify(trace).includes("answer to"), false);
    assert.deepEqual(await test.store.operations.trace("unknown"), []);
  });

  it("traces what was compressed in a turn, by how much and why, without a word of it", async () => {
    const made = (kind: string, reason: string, before: number, after: number) =>
      ({ kind, reason, tokens: { before, after }, said: [{ kind: "replied", text: "secret" }] }) as { kind: string };
    await live("full", "full", [made("cleared", "full", 90_000, 70_000), made("checkpoint", "asked", 70_000, 12_000)]);
    const [trace] = await test.store.operations.trace("full");
    const compressed = trace?.steps.filter(({ step }) => step === "conversation compressed");
    assert.deepEqual(
      compressed?.map(({ details }) => details),
      [
        { kind: "cleared", reason: "full", tokensBefore: 90_000, tokensAfter: 70_000 },
        { kind: "checkpoint", reason: "asked", tokensBefore: 70_000, tokensAfter: 12_000 },
      ],
    );
    assert.ok(!JSON.stringify(trace).includes("secret"));
  });

  it("traces what never reached a session, and a notice of our own", async () => {
    const { store } = test;
    await store.inbox.settle({
      event: eventOf("no", "no"),
      outcome: "refused",
      reason: "not_allowed",
      notice: textOf("no:n", "no"),
    });
    const [refused] = await store.operations.trace("no");
    assert.deepEqual(
      refused?.steps.map(({ step, details }) => [step, details.reason]),
      [
        ["received", undefined],
        ["refused", "not_allowed"],
      ],
    );
    const lease = await newAccountLease(store);
    const [row] = await store.outbox.due(lease, [], 1);
    const part = {
      markdown: "",
      attachments: [],
      state: "sent",
      attempts: 1,
      unknown: 0,
      messageId: brandAs<MessageId>("n-1"),
    } as const;
    await store.outbox.update(lease, { id: row!.id, state: "sent", parts: [part] });
    const [notice] = await store.operations.trace("n-1");
    assert.deepEqual(
      notice?.steps.map(({ step }) => step),
      ["sending", "sent"],
    );
  });

  it("knows sessions as people do: by the newest title, and by who writes in a direct one", async () => {
    const { store } = test;
    const group = { ...conversationOf("club"), kind: "group" as const };
    const say = async (id: string, session: string, conversation: Conversation, displayName: string) => {
      const { event, ...entry } = entryOf(id, session);
      const sender = { ...event.sender, displayName };
      await store.inbox.record({ ...entry, event: { ...event, sender, conversation }, route: conversation });
    };
    await say("club-1", "club", { ...group, title: "Old" }, "Ada");
    await say("club-2", "club", { ...group, title: "New" }, "Bob");
    await say("club-3", "club", group, "Cleo");
    await say("alone-1", "alone", conversationOf("alone"), "Ada");
    await say("alone-2", "alone", conversationOf("alone"), "Ada L.");
    const named = await store.operations.named([keyOf("club"), keyOf("alone"), keyOf("nobody's")]);
    assert.deepEqual(
      new Map(named.map((one) => [one.sessionKey, one])),
      new Map([
        [
          keyOf("alone"),
          {
            sessionKey: keyOf("alone"),
            conversation: conversationOf("alone"),
            person: { userId: "42", displayName: "Ada L." },
          },
        ],
        [keyOf("club"), { sessionKey: keyOf("club"), conversation: { ...group, title: "New" } }],
      ]),
    );
    await client.query("update session set conversation = '{}' where session_key = $1", [keyOf("alone")]);
    assert.deepEqual(await store.operations.named([keyOf("alone")]), []);
    await client.query("delete from inbox where session_key in ($1, $2)", [keyOf("alone"), keyOf("club")]);
  });

  it("counts what is unfinished and how old it is", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("count-1", "count"));
    const turn = await beginTurn(store, "count", await newWorker(store));
    await store.inbox.record(entryOf("count-2", "count"));
    await store.outbox.add([textOf("count", "count")]);
    await client.query("update inbox set recorded_at = recorded_at - interval '1 minute' where event_id like 'count%'");
    const backlog = await store.operations.backlog();
    assert.deepEqual(
      [backlog.waitingEvents, backlog.runningTurns, backlog.pendingDeliveries, backlog.failedDeliveries],
      [1, 1, 1, 0],
    );
    assert.ok(backlog.oldestWaitingMs >= 60_000 && backlog.oldestDeliveryMs < 60_000);
    const before = await store.operations.backlog();
    await store.inbox.record({ ...entryOf("count-3", "count"), mediaDeferMs: 600_000 });
    await store.inbox.record({ ...entryOf("part-1", "parts"), defer: { key: "album", ms: 600_000 } });
    await store.inbox.record(entryOf("part-2", "parts"));
    await store.inbox.record(entryOf("free", "free"));
    const { waitingEvents, behindTurns, deferredEvents } = await store.operations.backlog();
    assert.deepEqual([before.behindTurns, before.deferredEvents], [1, 0]);
    assert.deepEqual([waitingEvents, behindTurns, deferredEvents], [5, 2, 2], "one waits for a worker");
    await client.query("delete from inbox where event_id in ('count-3', 'part-1', 'part-2', 'free')");
    const [stuck] = await store.operations.stuck(50_000, 10);
    assert.deepEqual([stuck?.sessionKey, stuck?.waiting, stuck?.running, stuck?.turns], [keyOf("count"), 1, true, 1]);
    assert.ok((stuck?.waitedMs ?? 0) >= 60_000);
    assert.deepEqual(await store.operations.stuck(100_000, 10), []);
    await client.query(
      `insert into open_call (id, session_key, turn_id, call_id, name, arguments, waits_for, shown, askers, route, held_by, expires_at)
       select 'c0000001', session_key, turn_id, 'q', 'question', '{}', 'form', '?', '[]', route, 'worker', now() + interval '1 hour'
         from turn where turn_id = $1`,
      [turn.start.turnId],
    );
    await client.query("update inbox set recorded_at = now() where event_id = 'count-2'");
    assert.deepEqual(await store.operations.stuck(50_000, 10), [], "its call asks somebody");
    assert.equal((await store.operations.session(keyOf("count")))?.running, true);
    assert.equal(await store.operations.session(keyOf("never")), undefined);
    await completeTurn(store, turn);
    await store.turns.drop(turn.lease, [{ seq: 2, reason: "deleted" }]);
    await store.turns.release(turn.lease);
    const lease = await newAccountLease(store);
    for (const row of await store.outbox.due(lease, [], 10))
      await store.outbox.update(lease, { id: row.id, state: "failed", parts: [] });
    assert.deepEqual((await store.operations.backlog()).oldestWaitingMs, 0);
    assert.deepEqual((await store.operations.backlog()).failedDeliveries, 2);
  });

  it("tells what a turn did, bounded, and only in its own conversation", async () => {
    const started = (callId: string, doing?: string) => ({
      kind: "tool.started",
      callId,
      name: "clock",
      ...(doing && { doing }),
    });
    const result = (callId: string, content: string, isError = false) => ({
      kind: "tool.result",
      callId,
      name: "clock",
      content,
      isError,
    });
    const turnId = brandAs<TurnId>(
      await live("steps-1", "steps", [
        ...[
          started("a", "looking at the clock"),
          started("b"),
          result("a", "noon"),
          result("b", "x".repeat(2_500), true),
        ],
        ...[result("refused", "not allowed", true), started("lost", "waiting")],
      ]),
    );
    const { operations } = test.store;
    const { conversationId } = conversationOf("steps");
    const { steps, earlier } = await operations.steps(accountId, conversationId, turnId);
    assert.equal(earlier, 0);
    assert.deepEqual(steps.slice(-4), [
      { label: "looking at the clock", state: "done", result: "noon", leftOutChars: 0 },
      { label: "using clock", state: "failed", result: "x".repeat(2_000), leftOutChars: 500 },
      { label: "using clock", state: "failed", result: "not allowed", leftOutChars: 0 },
      { label: "waiting", state: "open" },
    ]);
    const nothing = { steps: [], earlier: 0 };
    assert.deepEqual(await operations.steps(accountId, conversationOf("others").conversationId, turnId), nothing);
    assert.deepEqual(await operations.steps(brandAs<AccountId>("elsewhere"), conversationId, turnId), nothing);
    const bare = brandAs<TurnId>(await live("steps-2", "steps"));
    assert.deepEqual(await operations.stepCounts([turnId, bare]), new Map([[turnId, { count: 3, failed: 2 }]]));
    const many = Array.from({ length: 230 }, (_, n) => result(`call-${n}`, `${n}`));
    const long = await operations.steps(
      accountId,
      conversationId,
      brandAs<TurnId>(await live("steps-3", "steps", many)),
    );
    assert.equal(long.steps.length, 200);
    assert.ok(long.earlier >= 30, `${long.earlier}`);
    assert.deepEqual(long.steps.at(-1), { label: "using clock", state: "done", result: "229", leftOutChars: 0 });
  });
});
