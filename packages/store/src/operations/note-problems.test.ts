import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type UserId } from "@talaria/protocol";
import pg from "pg";
import { connectionConfig } from "../database/connection-config.ts";
import type { ToldProblem } from "../ports/problems.ts";
import {
  beginTurn,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  type TestStore,
} from "../test-store.ts";

const refused: ToldProblem = { key: "model:main", code: "auth", graceMs: 0, markdown: "refused" };
const unpaid: ToldProblem = { ...refused, code: "quota", markdown: "unpaid" };
const answers = { key: "model:main", markdown: "answers again" };

async function query(test: TestStore, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(connectionConfig(test.url));
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** As `/sethome` does. */
async function setHome({ store }: TestStore, name: string): Promise<void> {
  const conversation = conversationOf(name);
  const settled = await store.inbox.settle({
    event: eventOf(`home of ${name}`, name),
    outcome: "settled",
    reason: "command_sethome",
    effect: { kind: "home", sessionKey: `acct/${name}`, userId: brandAs<UserId>(name), conversation },
  } as unknown as Parameters<typeof store.inbox.settle>[0]);
  assert.equal(settled.outcome, "settled");
}

async function toldIn(test: TestStore): Promise<readonly string[]> {
  const rows = await query(test, "select conversation_id, body ->> 'markdown' as text from outbox order by id");
  return rows.map(({ conversation_id, text }) => `${conversation_id}: ${text}`);
}

const later = (test: TestStore, interval: string) =>
  query(
    test,
    `update problem set since = since - interval '${interval}', seen_at = seen_at - interval '${interval}', told_at = told_at - interval '${interval}',
            told_codes = coalesce((select jsonb_object_agg(key, value::timestamptz - interval '${interval}')
                                     from jsonb_each_text(told_codes) as told (key, value)), '{}')`,
  );

describe("a problem that lasts", () => {
  it("is told in the language of each home, where it is there", async () => {
    await using test = await createTestStore();
    for (const [name, language] of [
      ["ada", "pt-BR-x-a"],
      ["bob", "PT"],
      ["cem", "pto"],
      ["dan", undefined],
    ] as const) {
      await setHome(test, name);
      await test.store.calls.noteOwnerPlace({
        userId: brandAs<UserId>(name),
        conversation: conversationOf(name),
        ...(language && { language }),
      });
    }
    const inLanguages = { pt: "recusado", "pt-br": "recusado!" };
    await test.store.problems.note([{ ...refused, inLanguages }], []);
    assert.deepEqual((await toldIn(test)).toSorted(), [
      "ada: recusado!",
      "bob: recusado",
      "cem: refused",
      "dan: refused",
    ]);
    await test.store.problems.note([], [{ ...answers, inLanguages: { pt: "responde" } }]);
    assert.deepEqual((await toldIn(test)).slice(4).toSorted(), [
      "ada: responde",
      "bob: responde",
      "cem: answers again",
      "dan: answers again",
    ]);
  });

  it("names the conversations that /retry would answer, and whose people were not answered since", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    const worker = await newWorker(test.store);
    const failed = async (session: string, reason: string) => {
      await test.store.inbox.record(entryOf(crypto.randomUUID(), session));
      const turn = await beginTurn(test.store, session, worker);
      const outcome = reason === "" ? "completed" : "failed";
      const end = { turnId: turn.start.turnId, outcome, entries: [], outbox: [], ...(reason && { reason }) } as const;
      const { released } = await test.store.turns.commit(turn.lease, end);
      if (!released) await test.store.turns.release(turn.lease);
    };
    const meanwhile = () => test.store.problems.failedMeanwhile("model:main", ["auth"]);
    for (const [session, reason] of [
      ["c1", "auth"],
      ["c2", "auth"],
      ["c3", "auth"],
      ["c3", ""],
      ["c4", "refusal"],
    ] as const)
      await failed(session, reason);
    assert.deepEqual(await meanwhile(), { count: 0, sessionKeys: [] }, "owners were told of nothing");
    await test.store.problems.note([refused], []);
    assert.deepEqual(await meanwhile(), { count: 2, sessionKeys: [keyOf("c2"), keyOf("c1")] });
    await query(
      test,
      `update session set conversation = jsonb_set(conversation, '{conversationId}', '"c1"') where session_key = '${keyOf("c3")}'`,
    );
    await failed("c3", "");
    assert.deepEqual((await meanwhile()).sessionKeys, [keyOf("c2")], "in c1 somebody was answered in another session");
    for (const n of [5, 6, 7, 8, 9, 10]) await failed(`c${n}`, "auth");
    const { count, sessionKeys } = await meanwhile();
    assert.deepEqual([count, sessionKeys.length], [7, 5]);
  });

  it("knows whether anybody was answered after a failure", async () => {
    await using test = await createTestStore();
    const worker = await newWorker(test.store);
    await test.store.inbox.record(entryOf("e1", "c1"));
    const { start, lease } = await beginTurn(test.store, "c1", worker);
    assert.equal(await test.store.problems.hasAnsweredSince("2000-01-01T00:00:00Z"), false);
    await test.store.turns.commit(lease, { turnId: start.turnId, outcome: "completed", entries: [], outbox: [] });
    assert.equal(await test.store.problems.hasAnsweredSince("2000-01-01T00:00:00Z"), true);
    assert.equal(await test.store.problems.hasAnsweredSince("2999-01-01T00:00:00Z"), false);
  });

  it("is told at every home, at once and each hour, by however many gateways, and once that it is over", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    await setHome(test, "bob");
    const stores = [test.store, test.open(), test.open()];
    const news = await Promise.all(stores.map((store) => store.problems.note([refused], [])));
    assert.deepEqual(
      news.flatMap(({ begun }) => begun),
      ["model:main"],
    );
    assert.deepEqual(
      news.flatMap(({ accounts }) => accounts),
      [brandAs<AccountId>("acct")],
    );
    assert.deepEqual(await toldIn(test), ["ada: refused", "bob: refused"]);
    await later(test, "59 minutes");
    assert.deepEqual(await test.open().problems.note([refused], []), { begun: [], over: [], accounts: [] });
    await later(test, "2 minutes");
    assert.deepEqual((await test.open().problems.note([refused], [])).begun, ["model:main"]);
    const ends = await Promise.all(stores.map((store) => store.problems.note([], [answers])));
    assert.deepEqual(
      ends.flatMap(({ over }) => over),
      ["model:main"],
    );
    assert.deepEqual(await toldIn(test), [
      "ada: refused",
      "bob: refused",
      "ada: refused",
      "bob: refused",
      "ada: answers again",
      "bob: answers again",
    ]);
  });

  it("is told at once when it becomes another, each kind once an hour, once each by however many gateways, and is over once", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    const stores = [test.store, test.open(), test.open()];
    const begunBy = async (problem: ToldProblem) =>
      (await Promise.all(stores.map((store) => store.problems.note([problem], [])))).flatMap(({ begun }) => begun);
    assert.deepEqual(await begunBy(refused), ["model:main"]);
    assert.deepEqual(await begunBy(unpaid), ["model:main"]);
    assert.deepEqual(await begunBy(refused), [], "it was told within the hour");
    await later(test, "40 minutes");
    assert.deepEqual([...(await begunBy(unpaid)), ...(await begunBy(refused))], []);
    await later(test, "21 minutes");
    assert.deepEqual([...(await begunBy(unpaid)), ...(await begunBy(unpaid))], ["model:main"]);
    await test.store.problems.note([], [answers]);
    assert.deepEqual((await test.store.problems.note([], [answers])).over, []);
    assert.deepEqual(await toldIn(test), ["ada: refused", "ada: unpaid", "ada: unpaid", "ada: answers again"]);
  });

  it("of an earlier release is told again after its hour, whatever its kind is", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    await test.store.problems.note([refused], []);
    await query(test, "update problem set told_codes = '{}'");
    assert.deepEqual((await test.store.problems.note([unpaid], [])).begun, []);
    await later(test, "61 minutes");
    assert.deepEqual((await test.store.problems.note([unpaid], [])).begun, ["model:main"]);
    assert.deepEqual(await toldIn(test), ["ada: refused", "ada: unpaid"]);
  });

  it("stays while nobody knows, and begins anew when it comes back", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    await test.store.problems.note([refused], []);
    assert.deepEqual((await test.store.problems.note([], [])).over, []);
    assert.deepEqual((await test.store.problems.note([refused], [])).begun, []);
    await test.store.problems.note([], [answers]);
    assert.deepEqual((await test.store.problems.note([refused], [])).begun, ["model:main"]);
    assert.deepEqual(await toldIn(test), ["ada: refused", "ada: answers again", "ada: refused"]);
  });

  it("is told after its grace, and nothing is said of what was over before", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    const young = { ...refused, graceMs: 60_000 };
    assert.deepEqual((await test.store.problems.note([young], [])).begun, []);
    assert.deepEqual((await test.store.problems.note([], [answers])).over, []);
    await test.store.problems.note([young], []);
    await later(test, "2 minutes");
    assert.deepEqual((await test.store.problems.note([young], [])).begun, ["model:main"]);
    assert.deepEqual(await toldIn(test), ["ada: refused"]);
  });

  it("is not told again unless it was seen since", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    const seenAt = new Date(Date.now() - 60_000).toISOString();
    const passing = { ...refused, since: seenAt, seenAt };
    assert.deepEqual((await test.store.problems.note([passing], [])).begun, ["model:main"]);
    await later(test, "2 hours");
    const quiet = { ...passing, seenAt: new Date(Date.parse(seenAt) - 7_200_000).toISOString() };
    assert.deepEqual((await test.store.problems.note([quiet], [])).begun, []);
    assert.deepEqual((await test.store.problems.note([passing], [])).begun, ["model:main"]);
  });

  it("is told once an owner has a home, where nobody had one when it began", async () => {
    await using test = await createTestStore();
    assert.deepEqual((await test.store.problems.note([refused], [])).begun, []);
    await setHome(test, "ada");
    assert.deepEqual((await test.store.problems.note([refused], [])).begun, ["model:main"]);
    assert.equal((await toldIn(test)).length, 1);
    assert.deepEqual((await test.store.problems.note([refused], [])).begun, []);
  });

  it("is told on no account of its own, and counts as told all the same", async () => {
    await using test = await createTestStore();
    await setHome(test, "ada");
    const own = { ...refused, key: "account:acct" };
    assert.deepEqual(await test.store.problems.note([own], []), { begun: ["account:acct"], over: [], accounts: [] });
    assert.deepEqual(await toldIn(test), []);
    const over = { key: own.key, markdown: "connected again" };
    assert.deepEqual((await test.store.problems.note([], [over])).accounts, ["acct"]);
    assert.deepEqual(await toldIn(test), ["ada: connected again"], "once it works again it can tell");
  });

  it("is forgotten when nothing is known of it for a day", async () => {
    await using test = await createTestStore();
    await test.store.problems.note([refused], []);
    await later(test, "25 hours");
    await test.store.problems.note([], []);
    assert.deepEqual(await query(test, "select key from problem"), []);
  });
});
