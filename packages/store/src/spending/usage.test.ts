import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, isGatewayError, type ProcessId } from "@talaria/protocol";
import pg from "pg";
import type { Spender } from "../ports/spending.ts";
import type { StoredEntry } from "../ports/turns.ts";
import type { Usage, UsageLately, UsageQuery } from "../ports/usage.ts";
import {
  accountId,
  claim,
  createTestStore,
  entryOf,
  keyOf,
  newWorker,
  startOf,
  type TestStore,
} from "../test-store.ts";

const dayMs = 86_400_000;
const used = { inputTokens: 100, cachedTokens: 60, cacheWriteTokens: 20, outputTokens: 10, reasoningTokens: 4 };
const priced = { ...used, model: "main", provider: "anthropic", cost: 1_500 };
const payer: Spender = {
  charges: [
    { key: "tokens/total", unit: "tokens", windowMs: dayMs, max: null },
    { key: "money/total", unit: "money", windowMs: 30 * dayMs, max: null },
  ],
};

function answer(usage: StoredEntry["usage"]): StoredEntry {
  return { kind: "assistant", model: "model-2026", usage };
}

describe("usage of models", () => {
  let test: TestStore;
  let worker: ProcessId;
  let client: pg.Client;

  before(async () => {
    test = await createTestStore();
    worker = await newWorker(test.store);
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria -c enable_seqscan=off" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  async function begin(session: string, spenders: readonly Spender[] = [payer], holder = worker) {
    await test.store.inbox.record(entryOf(crypto.randomUUID(), session));
    const found = await claim(test.store, session, holder);
    const start = { ...startOf(found), spenders };
    await test.store.turns.begin(found.lease, start);
    return { lease: found.lease, turnId: start.turnId };
  }

  async function read(query: Partial<UsageQuery & UsageLately>): Promise<readonly Usage[]> {
    return await test.store.operations.usage({ by: "total", withinMs: dayMs, limit: 100, ...query });
  }

  async function rowsOf(session: string) {
    const { rows } = await client.query("select * from usage where session_key = $1 order by id", [keyOf(session)]);
    return rows;
  }

  const spent = async (key: string) => (await test.store.operations.spent([key]))[0]?.used;

  it("is one row for each answer, with everything that was counted, and with who asked", async () => {
    const { lease, turnId } = await begin("row");
    await test.store.turns.append(lease, turnId, [answer(priced), { kind: "tool.started" }]);
    await test.store.turns.append(lease, turnId, [{ kind: "tool.result" }]);
    const [{ at, id, ...row } = {}, ...more] = await rowsOf("row");
    assert.deepEqual(more, []);
    assert.deepEqual(row, {
      session_key: keyOf("row"),
      turn_id: turnId,
      account_id: accountId,
      conversation_id: "row",
      people: [`${accountId}/42`],
      model: "main",
      provider: "anthropic",
      served_by: "model-2026",
      input_tokens: "100",
      cached_tokens: "60",
      cache_write_tokens: "20",
      output_tokens: "10",
      reasoning_tokens: "4",
      cost: "1500",
      purpose: null,
    });
  });

  it("is written once: not again by a commit whose answer was lost, nor by a holder that has lost the session", async () => {
    const { lease, turnId } = await begin("once");
    await test.store.turns.append(lease, turnId, [answer(priced)]);
    await client.query("update process set lease_until = now() - interval '1 second' where id = $1", [worker]);
    const other = await newWorker(test.store);
    const taken = await claim(test.store, "once", other);
    const end = { turnId, outcome: "completed", entries: [answer(priced)], outbox: [] } as const;
    const isLost = (error: unknown) => isGatewayError(error, "conflict");
    await assert.rejects(test.store.turns.append(lease, turnId, [answer(priced)]), isLost);
    await assert.rejects(test.store.turns.commit(lease, end), isLost);
    assert.equal((await rowsOf("once")).length, 1);
    const before = await spent("money/total");
    await test.store.turns.commit(taken.lease, end);
    await test.store.turns.commit(taken.lease, end);
    assert.equal((await rowsOf("once")).length, 2);
    assert.equal(await spent("money/total"), (before ?? 0) + 1_500);
    worker = await newWorker(test.store);
  });

  it("has an unknown price where none is known, which no counter of money takes for 0", async () => {
    const charges = [{ key: "money/person/unpriced", unit: "money", windowMs: dayMs, max: 1 } as const];
    const { lease, turnId } = await begin("unpriced", [{ charges }]);
    assert.deepEqual(await test.store.turns.append(lease, turnId, [answer(used)]), {});
    assert.equal((await rowsOf("unpriced"))[0]?.cost, null);
    assert.equal(await spent("money/person/unpriced"), undefined);
    const { reached } = await test.store.turns.append(lease, turnId, [answer({ ...priced, cost: 1 })]);
    assert.equal(reached?.key, "money/person/unpriced");
    const [both] = await read({ by: "session" }).then((rows) => rows.filter(({ of }) => of === keyOf("unpriced")));
    assert.deepEqual([both?.answers, both?.cost, both?.unpriced], [2, 1, 1]);
    const { lease: later, turnId: next } = await begin("never priced");
    await test.store.turns.append(later, next, [answer(used)]);
    const rows = await read({ by: "conversation" });
    const never = rows.find(({ of }) => of === `${accountId}/never priced`);
    assert.deepEqual([never && "cost" in never, never?.unpriced], [false, 1]);
  });

  it("counts whole for each of several people, and for nobody where no person asked", async () => {
    const { lease, turnId } = await begin("people");
    const added = entryOf("people-2", "people", "steer");
    const sender = { ...added.event.sender, userId: brandAs<typeof added.event.sender.userId>("43") };
    await test.store.inbox.record({ ...added, event: { ...added.event, sender } });
    await test.store.turns.append(lease, turnId, [answer(priced)]);
    await test.store.turns.steer(lease, turnId, () => [{ kind: "user" }]);
    await test.store.turns.append(lease, turnId, [answer(priced)]);
    const system = entryOf("system", "system");
    await test.store.inbox.record({
      ...system,
      event: { ...system.event, sender: { ...system.event.sender, role: "system" } },
    });
    const found = await claim(test.store, "system", worker);
    await test.store.turns.begin(found.lease, startOf(found));
    await test.store.turns.append(found.lease, startOf(found).turnId, [answer(priced)]);
    const people = new Map((await read({ by: "person" })).map(({ of, answers }) => [of, answers]));
    assert.deepEqual([people.get(`${accountId}/43`), people.get("")], [1, 1]);
    const [own] = await read({ person: { accountId, userId: brandAs("43") } });
    assert.deepEqual([own?.answers, own?.cost], [1, 1_500]);
    const [total] = await read({});
    assert.equal(total?.answers, (await client.query("select from usage")).rowCount);
  });

  it("is that of a whole day of a time zone, and of no other", async () => {
    const at = (time: string) =>
      client.query(
        `insert into usage (session_key, turn_id, at, account_id, conversation_id, people, input_tokens, cached_tokens,
                            cache_write_tokens, output_tokens, reasoning_tokens)
         values ('s', $1::text, $1::text::timestamptz, 'zoned', 'c', array['zoned/7'], 1, 0, 0, 1, 0)`,
        [time],
      );
    // In Berlin 2026-03-29 had 23 hours: from 23:00 to 22:00 UTC.
    for (const time of ["2026-03-28T22:59:59.9Z", "2026-03-28T23:00Z", "2026-03-29T21:59:59.9Z", "2026-03-29T22:00Z"])
      await at(time);
    const days = async (day: string, timeZone?: string) => {
      const query = {
        by: "day",
        day,
        limit: 9,
        accountId: brandAs<typeof accountId>("zoned"),
        ...(timeZone && { timeZone }),
      } as const;
      return (await test.store.operations.usage(query)).map(({ of, answers }) => [of, answers]);
    };
    assert.deepEqual(await days("2026-03-29", "Europe/Berlin"), [["2026-03-29", 2]]);
    assert.deepEqual(await days("2026-03-28"), [["2026-03-28", 2]]);
    assert.deepEqual(await days("2026-03-27"), []);
    const zoned = {
      by: "day",
      withinMs: 36_500 * dayMs,
      limit: 9,
      accountId: brandAs<typeof accountId>("zoned"),
    } as const;
    const all = await test.store.operations.usage({ ...zoned, timeZone: "Europe/Berlin" });
    assert.deepEqual(
      all.map(({ of, answers }) => [of, answers]),
      [
        ["2026-03-30", 1],
        ["2026-03-29", 2],
        ["2026-03-28", 1],
      ],
    );
  });

  it("finds a day and a person among many rows by their index, and forgets old rows", async () => {
    const many = 200_000;
    await client.query(
      `insert into usage (session_key, turn_id, at, account_id, conversation_id, people, model, input_tokens, cached_tokens,
                          cache_write_tokens, output_tokens, reasoning_tokens, cost)
       select 's' || n % 1000, 't' || n, now() - n * interval '40 seconds', 'busy', 'c', array['busy/' || n % 5000], 'main',
              100, 50, 0, 10, 0, 7
         from generate_series(1, $1::integer) as n`,
      [many],
    );
    await client.query("analyze usage");
    const plan = async (where: string) => {
      const { rows } = await client.query(`explain select sum(cost) from usage where ${where}`);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    };
    assert.match(await plan("at > now() - 86400000::float8 * interval '1 millisecond'"), /usage_at/);
    assert.match(await plan("at > now() - interval '30 days' and people @> array['busy/7']::text[]"), /usage_people/);
    const [own] = await read({ withinMs: 30 * dayMs, person: { accountId: brandAs("busy"), userId: brandAs("7") } });
    assert.ok(own !== undefined && own.answers > 10 && own.answers < 15, String(own?.answers));
    const days = await read({ by: "day", accountId: brandAs("busy"), withinMs: 10 * dayMs, limit: 3 });
    assert.deepEqual(days.map(({ answers }) => answers).slice(1), [2_160, 2_160]);
    await test.store.operations.prune(30, new AbortController().signal);
    const { rows } = await client.query("select count(*)::integer as count from usage where account_id = 'busy'");
    assert.ok(rows[0].count <= (30 * 86_400) / 40 && rows[0].count > 60_000, String(rows[0].count));
  });
});
