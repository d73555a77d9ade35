import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type Instant, type MessageId, type Receipt } from "@talaria/protocol";
import { conversationOf, createTestStore, newAccountLease, type TestStore, textOf } from "../test-store.ts";

describe("receipts", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  const tell = (place: string, id: string, status: Receipt["status"], reason?: string) =>
    test.store.outbox.receipt({
      conversation: conversationOf(place),
      messageId: brandAs<MessageId>(id),
      status,
      at: brandAs<Instant>("2026-11-20T10:00:00.000Z"),
      ...(reason === undefined ? {} : { reason }),
    });

  /** A text of so many messages, sent. */
  async function sent(place: string, ...ids: readonly string[]): Promise<void> {
    const { outbox } = test.store;
    await outbox.add([textOf(`key-${place}`, place)]);
    const lease = await newAccountLease(test.store);
    const [row] = await outbox.due(lease, [], 1);
    assert.ok(row);
    const parts = ids.map((id) => ({
      markdown: "",
      attachments: [],
      state: "sent" as const,
      messageId: brandAs<MessageId>(id),
      attempts: 1,
      unknown: 0,
    }));
    await outbox.update(lease, { id: row.id, state: "sent", parts });
  }

  const stepsOf = async (id: string) => {
    const [trace] = await test.store.operations.trace(id);
    return trace?.steps.flatMap(({ step, details }) => (step.startsWith("receipt") ? [[step, details]] : []));
  };
  const failed = async () => (await test.store.operations.backlog()).failedDeliveries;

  it("stand in the trace of the text, by message", async () => {
    await sent("trace", "t-1", "t-2");
    assert.deepEqual(await tell("trace", "t-1", "delivered"), { changed: true, known: true });
    await tell("trace", "t-2", "failed", "the number does not exist");
    assert.deepEqual(await stepsOf("t-1"), [
      ["receipt: delivered", { messageId: "t-1" }],
      ["receipt: failed", { messageId: "t-2", reason: "the number does not exist" }],
    ]);
  });

  it("never fall back, and are news once", async () => {
    await sent("order", "o-1");
    assert.equal((await tell("order", "o-1", "read")).changed, true);
    assert.equal((await tell("order", "o-1", "delivered")).changed, false);
    assert.equal((await tell("order", "o-1", "read")).changed, false);
    assert.deepEqual(await stepsOf("o-1"), [["receipt: read", { messageId: "o-1" }]]);
  });

  it("count a text once that did not arrive", async () => {
    const before = await failed();
    await sent("count", "c-1", "c-2");
    await tell("count", "c-1", "delivered");
    assert.equal(await failed(), before);
    await tell("count", "c-1", "failed");
    await tell("count", "c-2", "failed");
    assert.equal(await failed(), before + 1);
  });

  it("may come before the message's id is stored, and are kept for messages nobody knows", async () => {
    const before = await failed();
    assert.deepEqual(await tell("early", "e-1", "failed"), { changed: true, known: false });
    assert.equal(await failed(), before);
    await sent("early", "e-1");
    assert.equal(await failed(), before + 1);
  });

  it("belong to one conversation", async () => {
    await sent("mine", "same");
    assert.equal((await tell("other", "same", "failed")).known, false);
    assert.deepEqual(await stepsOf("same"), []);
  });
});
