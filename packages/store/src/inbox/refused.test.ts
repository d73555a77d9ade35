import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type InboundEvent, type UserId } from "@talaria/protocol";
import { createTestStore, eventOf, type TestStore, textOf } from "../test-store.ts";

describe("the events of somebody who is refused", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  const from = (user: string, id: string): InboundEvent => {
    const event = eventOf(id, "c");
    return { ...event, sender: { ...event.sender, userId: brandAs<UserId>(user) } };
  };
  const refuse = (event: InboundEvent) => test.store.inbox.settle({ event, outcome: "refused", reason: "not_allowed" });
  const isKept = async ({ id, conversation }: InboundEvent) =>
    (await test.store.inbox.status(conversation.accountId, id)) !== undefined;

  it("are kept up to a number; every further one is settled and leaves nothing", async () => {
    const events = Array.from({ length: 120 }, (_, n) => from("stranger", `s-${n}`));
    for (const event of events) assert.equal((await refuse(event)).outcome, "settled");
    const kept = await Promise.all(events.map(isKept));
    assert.equal(kept.filter(Boolean).length, 100);
    assert.equal(kept.at(-1), false);
  });

  it("leave room for others, and are kept when people are told", async () => {
    const other = from("other", "o-1");
    await refuse(other);
    const told = from("stranger", "s-told");
    const settlement = { event: told, outcome: "refused", reason: "too_long", notice: textOf("told", "c") } as const;
    assert.equal((await test.store.inbox.settle(settlement)).outcome, "settled");
    assert.equal((await test.store.inbox.settle(settlement)).outcome, "duplicate");
    assert.deepEqual([await isKept(other), await isKept(told)], [true, true]);
  });
});
