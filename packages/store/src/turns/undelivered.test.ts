import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ProcessId } from "@talaria/protocol";
import pg from "pg";
import {
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  newWorker,
  startOf,
  type TestStore,
} from "../test-store.ts";

describe("an answer that was given up", () => {
  let test: TestStore;
  let worker: ProcessId;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    worker = await newWorker(test.store);
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  it("is known to the next turn, and by none after it", async () => {
    const asked = async (id: string) => {
      await test.store.inbox.record(entryOf(id, "dropped"));
      return await claim(test.store, "dropped", worker);
    };
    const answer = async () => {
      const turn = await beginTurn(test.store, "dropped", worker);
      await completeTurn(test.store, turn);
      return turn;
    };
    const giveUp = async (parts: unknown, error = "platform_rejected") =>
      await client.query(
        `update outbox set state = 'failed', error = $2, parts = $1, settled_at = now()
          where session_key = $3 and kind = 'reply' and state = 'pending'`,
        [JSON.stringify(parts), error, keyOf("dropped")],
      );
    const part = { state: "failed", attempts: 1, unknown: 0 };
    assert.equal((await asked("one")).undelivered, undefined);
    const first = await answer();
    await giveUp([part]);
    const found = await asked("two");
    assert.deepEqual(
      found.undelivered?.map(({ markdown, mayHaveArrived }) => [markdown, mayHaveArrived]),
      [[`answer to ${first.start.turnId}`, false]],
    );
    const start = { ...startOf(found), said: found.undelivered?.map(({ id }) => id) ?? [] };
    await test.store.turns.begin(found.lease, start);
    await completeTurn(test.store, { lease: found.lease, claim: found, start });
    await giveUp([{ ...part, attempts: 2, unknown: 1 }]);
    assert.deepEqual(
      (await asked("three")).undelivered?.map(({ mayHaveArrived }) => mayHaveArrived),
      [true],
    );
    await answer();
    await client.query("update outbox set error = 'not_allowed' where session_key = $1", [keyOf("dropped")]);
    assert.equal((await asked("four")).undelivered, undefined, "nobody waits where nobody may write");
  });
});
