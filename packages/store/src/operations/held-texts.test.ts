import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type Instant, instantOf, type MessageId } from "@talaria/protocol";
import type { LastFailure, OutboxPart } from "../ports/outbox.ts";
import {
  beginTurn,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  newAccountLease,
  newWorker,
  type TestStore,
  textOf,
} from "../test-store.ts";

const failure = (atMs: number, more: Partial<LastFailure> = {}): LastFailure => ({
  code: "unavailable",
  reason: "ECONNREFUSED",
  since: instantOf(atMs),
  at: instantOf(atMs),
  ...more,
});

function partOf(state: OutboxPart["state"], lastFailure?: LastFailure): OutboxPart {
  const part = { markdown: "secret", attachments: [], state, attempts: 2, unknown: 0 } as const;
  const sent = state === "sent" ? { messageId: brandAs<MessageId>("m-sent") } : {};
  return { ...part, ...sent, ...(lastFailure === undefined ? {} : { lastFailure }) };
}

describe("texts that an outage holds up", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("are told with their account, and in a trace: why they wait, since when, and when they are tried again", async () => {
    const { outbox, operations } = test.store;
    const lease = await newAccountLease(test.store);
    const heldNow = async () => (await operations.accounts()).find((one) => one.accountId === lease.accountId)?.held;
    await outbox.add(["a", "b", "a"].map((place, n) => textOf(`held-${n}`, place)));
    assert.equal(await heldNow(), undefined);

    const [first, second] = await outbox.due(lease, [], 10);
    const now = Date.now();
    const later = failure(now, { since: instantOf(now - 60_000), reason: "ECONNRESET" });
    const waits = { state: "pending", retryInMs: 30_000 } as const;
    await outbox.update(lease, { id: first!.id, ...waits, parts: [partOf("pending", failure(now - 90_000))] });
    await outbox.update(lease, { id: second!.id, ...waits, parts: [partOf("sending", later)] });
    const held = await heldNow();
    const { nextAt, ...known } = held!;
    assert.deepEqual(known, {
      isOutage: true,
      code: "unavailable",
      reason: "ECONNRESET",
      since: instantOf(now - 90_000),
      triedAt: instantOf(now),
    });
    const inMs = Date.parse(nextAt) - now;
    assert.ok(inMs > 20_000 && inMs < 60_000, nextAt satisfies Instant);

    const again = await outbox.hurry(lease, { doubtful: true, refused: true });
    assert.ok(again);
    const read = await outbox.due(lease, [], 10);
    assert.deepEqual(
      read.map(({ parts }) => parts?.[0]?.lastFailure?.reason),
      ["ECONNREFUSED", "ECONNRESET", undefined],
    );
    await outbox.update(lease, { id: second!.id, state: "sent", parts: [partOf("sent")] });
    assert.deepEqual([(await heldNow())?.isOutage, (await heldNow())?.reason], [false, "ECONNREFUSED"]);
  });

  it("are traced: why they wait and when they are tried again, or what is to be sent before", async () => {
    const { store } = test;
    for (const id of ["traced-1", "traced-2"]) {
      await store.inbox.record(entryOf(id, "traced"));
      await completeTurn(store, await beginTurn(store, "traced", await newWorker(store)));
    }
    const lease = await newAccountLease(store);
    const rows = (await store.outbox.due(lease, [], 10)).filter(({ conversation: { conversationId } }) => {
      return conversationId === conversationOf("traced").conversationId;
    });
    const at = Date.now();
    const parts = [partOf("sending", failure(at))];
    await store.outbox.update(lease, { id: rows[0]!.id, state: "pending", retryInMs: 30_000, parts });
    const waits = await Promise.all(
      ["traced-1", "traced-2"].map(async (id) =>
        (await store.operations.trace(id))[0]?.steps.find(({ step }) => step === "waits"),
      ),
    );
    const { nextAt, ...why } = waits[0]!.details;
    assert.deepEqual(why, {
      deliveryKey: rows[0]!.deliveryKey,
      code: "unavailable",
      reason: "ECONNREFUSED",
      since: instantOf(at),
      outcome: "perhaps it arrived",
    });
    assert.ok(Date.parse(String(nextAt)) > at + 20_000, String(nextAt));
    assert.deepEqual(waits[1]?.details, { deliveryKey: rows[1]!.deliveryKey, behind: rows[0]!.deliveryKey });
    assert.ok(!JSON.stringify(waits).includes("secret"));
  });
});
