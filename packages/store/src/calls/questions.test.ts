import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantOf, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { createRoles, grantToRoles } from "../schema/roles.ts";
import { createStore } from "../store.ts";
import {
  beginTurn,
  claim,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  keyOf,
  newWorker,
  type TestStore,
} from "../test-store.ts";

describe("every question that waits for approval", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("is found once, in pages, with its session's conversation, whatever else is settled meanwhile", async () => {
    const { store, url } = test;
    await store.inbox.record(entryOf("first", "busy"));
    const { start } = await beginTurn(store, "busy", await newWorker(store));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const add = `
        insert into talaria.open_call (id, session_key, turn_id, call_id, name, arguments, waits_for, shown, askers, route, expires_at)
        select prefix || n, $1, $2, prefix || n, 'pay', '{}', waits_for, 'pay', '[]', $3,
               clock_timestamp() + lasts + make_interval(secs => n / 50)
          from (values ('wait', 'approval', interval '1 hour', 450), ('form', 'form', '1 hour', 5), ('late', 'approval', '-1 day', 5))
               as given (prefix, waits_for, lasts, n_of), generate_series(1, n_of) as n`;
      await client.query(add, [keyOf("busy"), start.turnId, JSON.stringify(conversationOf("elsewhere"))]);
    } finally {
      await client.end();
    }
    const found: string[] = [];
    const sizes: number[] = [];
    let after: string | undefined;
    do {
      const { questions, next } = await store.calls.questions(after);
      for (const { call, conversation } of questions) {
        found.push(call.id);
        assert.deepEqual([conversation, call.route], [conversationOf("busy"), conversationOf("elsewhere")]);
      }
      const last = questions.at(-1)?.call;
      if (last !== undefined) assert.equal(await store.calls.forbid(last, "no"), true);
      sizes.push(questions.length);
      after = next;
    } while (after !== undefined);
    assert.deepEqual(sizes, [200, 200, 50]);
    assert.equal(new Set(found).size, 450);
    assert.ok(found.every((id) => id.startsWith("wait")));
  });
});

it("what waits for people from earlier turns is counted for the next one: calls to approve, and questions", async () => {
  await using test = await createTestStore();
  const { store } = test;
  const worker = await newWorker(store);
  await store.inbox.record(entryOf("asks", "counted"));
  const turn = await beginTurn(store, "counted", worker);
  const kinds = ["approval", "form", "form", "process"] as const;
  const expiresAt = instantOf(Date.now() + 3_600_000);
  const asks = kinds.map((waitsFor, n) => {
    const call = { callId: `c${n}`, name: "pay", arguments: "{}", waitsFor, shown: "pay" };
    return { ask: { id: `0badcaf${n}`, ...call, askers: [], expiresAt } };
  });
  await store.turns.append(turn.lease, turn.start.turnId, [], asks);
  await completeTurn(store, turn);
  await store.inbox.record(entryOf("goes on", "counted"));
  assert.equal((await claim(store, "counted", worker)).questions, 3);
});

describe("how long a question waits", () => {
  const hourMs = 3_600_000;
  for (const aheadMs of [-48 * hourMs, -2 * hourMs, 0, 30 * hourMs])
    it(`is what its worker has said, with a clock that is ${aheadMs / hourMs} hours off`, async () => {
      await using test = await createTestStore();
      const now = Date.now() + aheadMs;
      const clock = { ...systemClock, now: () => now };
      const store = createStore({ url: test.url, log: silentLog, clock, maxConnections: 1 });
      try {
        await store.inbox.record(entryOf("asks", "off"));
        const { lease, start } = await beginTurn(store, "off", await newWorker(store));
        const call = { callId: "c1", name: "pay", arguments: "{}", waitsFor: "approval", shown: "pay" } as const;
        const ask = { id: "0badcafe", ...call, askers: [], expiresAt: instantOf(now + hourMs) };
        await store.turns.append(lease, start.turnId, [], [{ ask }]);
        const [waiting] = await test.store.calls.waiting(keyOf("off"));
        assert.ok(waiting);
        const lastsMs = Date.parse(waiting.expiresAt) - Date.parse(waiting.askedAt);
        assert.equal(Math.round(lastsMs / 60_000), 60);
        assert.equal(waiting.isOverdue, false);
        assert.equal(await store.calls.settle({ id: ask.id, sessionKey: keyOf("off"), settlement: "approved" }), true);
      } finally {
        await store.close();
      }
    });
});

describe("a worker's role", () => {
  it("denies by the operator's rules, and settles nothing else in anybody's name", async () => {
    await using test = await createTestStore();
    const roles = await createRoles(test.url);
    await grantToRoles(roles);
    await test.store.inbox.record(entryOf("asks", "denied"));
    const turn = await beginTurn(test.store, "denied", await newWorker(test.store));
    const expiresAt = instantOf(Date.now() + 3_600_000);
    const ask = {
      id: "0badcafe",
      callId: "c1",
      name: "pay",
      arguments: "{}",
      waitsFor: "approval",
      shown: "pay",
    } as const;
    await test.store.turns.append(
      turn.lease,
      turn.start.turnId,
      [],
      [{ ask: { ...ask, askers: [], expiresAt }, texts: [] }],
    );
    const worker = createStore({ url: roles.worker, log: silentLog, clock: systemClock, maxConnections: 1 });
    try {
      const call = { id: ask.id, sessionKey: keyOf("denied") };
      await assert.rejects(worker.calls.settle({ ...call, settlement: "approved" }));
      assert.equal((await worker.calls.questions()).questions.length, 1);
      assert.equal(await worker.calls.forbid(call, "Never."), true);
    } finally {
      await worker.close();
    }
  });
});

it("a question keeps its words, and is shown as it was where this release can't read them", async () => {
  await using test = await createTestStore();
  const { store } = test;
  await store.inbox.record(entryOf("asks", "worded"));
  const { lease, start } = await beginTurn(store, "worded", await newWorker(store));
  const expiresAt = instantOf(Date.now() + 3_600_000);
  const words = {
    headline: ["send this message to ", { name: "telegram:user:42" }],
    parts: [
      { kind: "text", text: "Hello" },
      { kind: "facts", items: [{ name: "With the secret", value: "x" }] },
    ],
    why: "Somebody has to agree.",
  } as const;
  const call = {
    name: "send_message",
    arguments: "{}",
    waitsFor: "approval",
    shown: "Send?",
    askers: [],
    expiresAt,
  } as const;
  const later = { ...words, parts: [{ kind: "film", frames: 9 }] } as unknown as typeof words;
  await store.turns.append(
    lease,
    start.turnId,
    [],
    [
      { ask: { ...call, id: "0badcafe", callId: "c1", words } },
      { ask: { ...call, id: "0badcaff", callId: "c2" } },
      { ask: { ...call, id: "0badcb00", callId: "c3", words: later } },
    ],
  );
  const found = await store.calls.waiting(keyOf("worded"));
  assert.deepEqual(
    found.map((one) => [one.id, one.words, one.shown]),
    [
      ["0badcafe", words, "Send?"],
      ["0badcaff", undefined, "Send?"],
      ["0badcb00", undefined, "Send?"],
    ],
  );
});
