import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type EventId, type MessageId } from "@talaria/protocol";
import {
  accountId,
  beginTurn,
  completeTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newAccountLease,
  newWorker,
  type TestStore,
  textOf,
} from "../test-store.ts";

describe("the inbox", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("numbers the events of a session without gaps, in the order of overlapping calls", async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `order-${index}`);
    const recorded = await Promise.all(
      ids.map((id, index) => test.store.inbox.record(entryOf(id, `order-${index % 3}`))),
    );
    recorded.forEach((answer, index) => {
      assert.deepEqual(answer, { outcome: "recorded", seq: Math.floor(index / 3) + 1 });
    });
  });

  it("records an event once, however many gateways have it at the same time", async () => {
    const other = test.open();
    const ids = Array.from({ length: 100 }, (_, index) => `same-${index}`);
    const answers = await Promise.all([
      ...ids.map((id) => test.store.inbox.record(entryOf(id, "same"))),
      ...ids.toReversed().map((id) => other.inbox.record(entryOf(id, "same"))),
      ...ids.map((id) => other.inbox.record(entryOf(id, "same"))),
    ]);
    const seqs = answers.flatMap((answer) => (answer.outcome === "recorded" ? [answer.seq] : []));
    assert.deepEqual(
      seqs.toSorted((a, b) => a - b),
      ids.map((_, index) => index + 1),
    );
  });

  it("knows a message by its id in its conversation, as it reads now, until it is taken back", async () => {
    const { inbox } = test.store;
    const said = eventOf("heard-1", "heard", "at nine");
    assert.ok(said.type === "message.created");
    const { message, ...base } = said;
    const heard = (place = said.conversation) => inbox.heard(place, message.messageId);
    assert.equal(await heard(), undefined);
    await inbox.record({ ...entryOf("heard-1", "heard"), event: said });
    assert.deepEqual(await heard(), { userId: "42", displayName: "Ada", markdown: "at nine" });
    assert.equal(await heard(eventOf("x", "elsewhere").conversation), undefined);
    const edited = { ...said, id: brandAs<EventId>("heard-2"), message: { ...message, markdown: "at ten" } };
    await inbox.record({ ...entryOf("heard-2", "heard"), event: { ...edited, type: "message.edited" } });
    assert.equal((await heard())?.markdown, "at ten");
    const gone = { ...base, id: brandAs<EventId>("heard-3"), messageId: message.messageId };
    await inbox.record({ ...entryOf("heard-3", "heard"), event: { ...gone, type: "message.deleted" } });
    assert.equal(await heard(), undefined);
  });

  it("knows a message of ours by its id, of a long answer the part that has it, and a preview by the answer that it became", async () => {
    const { inbox, outbox } = test.store;
    const conversation = eventOf("x", "sent").conversation;
    const heard = (id: string, place = conversation) => inbox.heard(place, brandAs<MessageId>(id));
    await outbox.add([textOf("heard:sent", "sent")]);
    const lease = await newAccountLease(test.store);
    const row = (await outbox.due(lease, [], 100)).find(({ deliveryKey }) => deliveryKey === "heard:sent");
    assert.ok(row);
    const part = { attachments: [], state: "sent", attempts: 1, unknown: 0 } as const;
    const parts = ["one", "two"].map((markdown) => ({
      ...part,
      markdown,
      messageId: brandAs<MessageId>(`m-${markdown}`),
    }));
    await outbox.update(lease, { id: row.id, state: "sent", parts });
    const ours = { userId: "agent", displayName: "", own: true };
    assert.deepEqual(await heard("m-two"), { ...ours, markdown: "two" });
    assert.equal(await heard("m-three"), undefined);
    assert.equal(await heard("m-two", eventOf("x", "elsewhere").conversation), undefined);
  });

  it("takes the first of several calls with the same event, also within one batch", async () => {
    const ids = ["first", "a", "b", "a", "c", "b"];
    const answers = await Promise.all(ids.map((id) => test.store.inbox.record(entryOf(`batch-${id}`, "batch"))));
    const seqs = answers.map((answer) => (answer.outcome === "recorded" ? answer.seq : undefined));
    assert.deepEqual(seqs, [1, 2, 3, undefined, 4, undefined]);
  });

  it("knows an event again that was settled without a session, and the other way round", async () => {
    const event = eventOf("direct", "direct");
    const settlement = { event, outcome: "ignored", reason: "not_addressed" } as const;
    assert.deepEqual(await test.store.inbox.settle(settlement), { outcome: "settled", applied: true });
    assert.deepEqual(await test.store.inbox.record(entryOf("direct", "direct")), { outcome: "duplicate" });
    assert.deepEqual(await test.store.inbox.settle(settlement), { outcome: "duplicate" });
    const status = await test.store.inbox.status(accountId, event.id);
    assert.equal(status?.state, "ignored");
    assert.equal(status?.reason, "not_addressed");
  });

  it("commits the notice of a settlement once", async () => {
    const settlement = {
      event: eventOf("stranger", "stranger"),
      outcome: "refused",
      reason: "pairing",
      notice: textOf("notice:stranger", "stranger"),
    } as const;
    await Promise.all([test.store.inbox.settle(settlement), test.open().inbox.settle(settlement)]);
    const due = await test.store.outbox.due(await newAccountLease(test.store), [], 100);
    assert.deepEqual(due.filter((row) => row.deliveryKey === "notice:stranger").length, 1);
  });

  it("says the other sentence when the effect of a command found nothing to do", async () => {
    const settled = await test.store.inbox.settle({
      event: eventOf("idle-stop", "idle"),
      outcome: "command",
      reason: "command:stop",
      effect: { kind: "stop", sessionKey: keyOf("idle") },
      notice: textOf("notice:idle", "idle"),
      idleMarkdown: "Nothing is running.",
    });
    assert.deepEqual(settled, { outcome: "settled", applied: false });
    const due = await test.store.outbox.due(await newAccountLease(test.store), [], 100);
    assert.equal(due.find((row) => row.deliveryKey === "notice:idle")?.markdown, "Nothing is running.");
  });

  it("follows an event from waiting to its answer", async () => {
    const { store } = test;
    const event = entryOf("life", "life");
    assert.equal(await store.inbox.status(accountId, event.event.id), undefined);
    await store.inbox.record(event);
    assert.equal((await store.inbox.status(accountId, event.event.id))?.state, "waiting");
    const turn = await beginTurn(store, "life", await newWorker(store));
    assert.equal((await store.inbox.status(accountId, event.event.id))?.state, "running");
    await completeTurn(store, turn);
    const status = await store.inbox.status(accountId, event.event.id);
    assert.equal(status?.state, "answered");
    assert.equal(status?.reply, `answer to ${turn.start.turnId}`);
  });

  it("replaces what PostgreSQL refuses and keeps everything else", async () => {
    const text = "nul \0, lone \uD800 and \uDC00, whole 😀, backslash \\u0000 \\\\u0000 \\ud800";
    const entry = entryOf("odd", "odd");
    await test.store.inbox.record({ ...entry, event: eventOf("odd\0", "odd", text) });
    const worker = await newWorker(test.store);
    const { claim } = await beginTurn(test.store, "odd", worker);
    const event = claim.pending[0]?.event;
    assert.equal(event?.id, "odd\uFFFD");
    assert.equal(
      event?.type === "message.created" && event.message.markdown,
      "nul \uFFFD, lone \uFFFD and \uFFFD, whole 😀, backslash \\u0000 \\\\u0000 \\ud800",
    );
  });

  it("fails nobody for the sake of a neighbour in the batch", async () => {
    const bad = entryOf("bad-time", "bad");
    const broken = { ...bad, event: { ...bad.event, receivedAt: "never" as typeof bad.event.receivedAt } };
    const answers = await Promise.allSettled([
      test.store.inbox.record(entryOf("fine-1", "bad")),
      test.store.inbox.record(entryOf("fine-2", "bad")),
      test.store.inbox.record(broken),
      test.store.inbox.record(entryOf("fine-3", "bad")),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled"],
    );
  });
});
