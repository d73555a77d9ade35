import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ProcessId } from "@talaria/protocol";
import pg from "pg";
import type { UnusedTerms } from "../ports/memories.ts";
import {
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  newWorker,
  type TestStore,
} from "../test-store.ts";

const hour = 3_600_000;
const idle: UnusedTerms = { idleMs: hour, timeZone: "UTC", pass: true };

describe("conversations that nobody goes on with", () => {
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

  let events = 0;

  async function say(session: string): Promise<void> {
    events += 1;
    await test.store.inbox.record(entryOf(`e${events}`, session));
    await completeTurn(test.store, await beginTurn(test.store, session, worker));
  }

  /** As if all that was said there had been so much earlier. */
  async function age(session: string, ms: number): Promise<void> {
    const values = [keyOf(session), ms];
    const earlier = "- $2::integer * interval '1 millisecond'";
    await client.query(`update turn set ended_at = ended_at ${earlier} where session_key = $1`, values);
    await client.query(`update entry set created_at = created_at ${earlier} where session_key = $1`, values);
  }

  /** As if nobody had looked before. */
  const forget = () => client.query("delete from total where name = 'unused_until'");

  async function endAll(terms: UnusedTerms): Promise<number> {
    let all = 0;
    for (;;) {
      const { ended, isMore } = await test.store.memories.endUnused(terms);
      all += ended;
      if (!isMore) return all;
    }
  }

  async function generationOf(session: string): Promise<number> {
    const { rows } = await client.query("select generation from session where session_key = $1", [keyOf(session)]);
    return rows[0]?.generation;
  }

  it("end as by a reset, once, and are gone through for facts where that is wanted", async () => {
    for (const session of ["old", "old", "old", "fresh"]) await say(session);
    await age("old", 2 * hour);
    const before = [await generationOf("old"), await generationOf("fresh")];
    assert.equal(await endAll(idle), 1);
    assert.deepEqual([await generationOf("old"), await generationOf("fresh")], [(before[0] ?? 0) + 1, before[1]]);
    assert.equal(await endAll(idle), 0);
    const pass = await test.store.passes.claim(worker, 4);
    assert.equal(pass !== undefined && "fence" in pass && pass.sessionKey, keyOf("old"));
  });

  it("stay where something waits, or was said since, and where they were left long before this was wanted", async () => {
    await forget();
    for (const session of ["waits", "since", "ancient"]) await say(session);
    await age("waits", 2 * hour);
    await age("since", 2 * hour);
    await age("ancient", 48 * hour);
    await say("since");
    await test.store.inbox.record(entryOf("waits-too", "waits"));
    assert.equal(await endAll(idle), 0);
    const { lease, pending } = await claim(test.store, "waits", worker);
    await test.store.turns.drop(
      lease,
      pending.map(({ seq }) => ({ seq, reason: "looked" })),
    );
  });

  it("end every day at a time, by the clock of a zone", async () => {
    await forget();
    await say("daily");
    const { rows } = await client.query(
      "select to_char(now() at time zone 'Asia/Tokyo' - interval '30 minutes', 'HH24:MI') as at",
    );
    const terms: UnusedTerms = { dailyAt: rows[0].at, timeZone: "Asia/Tokyo", pass: false };
    const before = (await generationOf("daily")) ?? 0;
    await endAll(terms);
    assert.equal(await generationOf("daily"), before, "it was said after that");
    await age("daily", hour);
    await forget();
    await endAll(terms);
    assert.equal(await generationOf("daily"), before + 1);
  });

  it("are ended by several callers at once, each once, page by page", async () => {
    await forget();
    for (let n = 0; n < 60; n += 1) {
      await say(`many-${n}`);
      await age(`many-${n}`, 2 * hour);
    }
    const ended = await Promise.all([endAll(idle), endAll(idle), endAll(idle)]);
    assert.equal(ended.reduce((sum, one) => sum + one, 0) + (await endAll(idle)), 60);
  });
});
