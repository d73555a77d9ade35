import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { type Database, openDatabase } from "../database/database.ts";
import { createTestStore, eventOf, newAccountLease, type TestStore, textOf } from "../test-store.ts";

describe("the notice about what was not answered", () => {
  let test: TestStore;
  let database: Database;
  before(async () => {
    test = await createTestStore();
    database = openDatabase({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 2 });
  });
  after(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  const miss = (place: string, id: string) =>
    test.store.inbox.settle({
      event: eventOf(id, place),
      outcome: "ignored",
      reason: "too_old",
      unanswered: {
        text: textOf(`late-${id}`, place, { markdown: "one was not" }),
        many: (count) => `${count} were not`,
        waitMs: 60_000,
        longestMs: 60_000,
      },
    });
  const due = async (place: string) => {
    const rows = await test.store.outbox.due(await newAccountLease(test.store), [], 100);
    return rows.filter(({ conversation }) => conversation.conversationId === place).map(({ markdown }) => markdown);
  };
  /** As if so many milliseconds had gone by. */
  const pass = (ms: number) =>
    database.query({
      text: `update outbox set next_at = next_at - $1::float8 * interval '1 millisecond',
                               created_at = created_at - $1::float8 * interval '1 millisecond'`,
      values: [ms],
    });

  it("waits for the rest of the burst, and is one", async () => {
    await miss("one", "o-1");
    assert.deepEqual(await due("one"), []);
    await miss("two", "t-1");
    await Promise.all(["t-2", "t-3", "t-3", "t-4"].map((id) => miss("two", id)));
    await pass(60_000);
    assert.deepEqual([await due("one"), await due("two")], [["one was not"], ["4 were not"]]);
  });

  it("is another one for what comes when it is on its way", async () => {
    await miss("late", "l-1");
    await pass(60_000);
    await miss("late", "l-2");
    await miss("late", "l-3");
    await pass(60_000);
    assert.deepEqual(await due("late"), ["one was not", "2 were not"]);
  });

  it("leaves after a minute although more comes", async () => {
    await miss("long", "g-1");
    for (let n = 2; n < 6; n += 1) {
      await pass(25_000);
      await miss("long", `g-${n}`);
    }
    await pass(30_000);
    assert.ok((await due("long")).length >= 1);
  });
});
