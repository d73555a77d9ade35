import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { brandAs, type MessageId, type ProcessId, type TurnId, type UserId } from "@talaria/protocol";
import type { AccountLease, OutboxPart, OutboxRow } from "../ports/outbox.ts";
import {
  accountId,
  beginTurn,
  claim,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newAccountLease,
  newWorker,
  type RunningTurn,
  type TestStore,
  textOf,
} from "../test-store.ts";

const part: OutboxPart = { markdown: "part", attachments: [], state: "pending", attempts: 0, unknown: 0 };
const sending: OutboxPart = { ...part, state: "sending", attempts: 1 };
const says = { withheld: () => "Stopped, withheld.", sent: () => "Stopped, sent.", idle: "Idle, sent." };

describe("an answer that somebody stops", () => {
  let test: TestStore;
  let worker: ProcessId;
  let lease: AccountLease;
  let name: string;
  let count = 0;
  before(async () => {
    test = await createTestStore();
    worker = await newWorker(test.store);
    lease = await newAccountLease(test.store);
  });
  after(() => test[Symbol.asyncDispose]());
  beforeEach(() => {
    count += 1;
    name = `c${count}`;
  });

  const due = async () =>
    (await test.store.outbox.due(lease, [], 100)).filter(({ conversation }) => conversation.conversationId === name);
  const answerIn = (rows: readonly OutboxRow[]) => rows.find(({ kind }) => kind === "reply");
  const update = (row: OutboxRow | undefined, parts: readonly OutboxPart[], state: "pending" | "sent" | "withdrawn") =>
    test.store.outbox.update(lease, { id: row?.id ?? 0, state, parts });

  async function begin(id: string, from = "42", kind: "direct" | "group" = "direct"): Promise<RunningTurn> {
    const entry = entryOf(`${name}-${id}`, name);
    const place = { ...conversationOf(name), kind };
    const event = { ...entry.event, conversation: place, sender: { ...entry.event.sender, userId: from as UserId } };
    await test.store.inbox.record({ ...entry, event, route: place });
    return await beginTurn(test.store, name, worker);
  }

  async function answer(...asked: Parameters<typeof begin>): Promise<TurnId> {
    const turn = await begin(...asked);
    await completeTurn(test.store, turn);
    return turn.start.turnId;
  }

  /** Answers with what its sender reads. */
  async function stop(): Promise<() => Promise<string | undefined>> {
    count += 1;
    const event = eventOf(`stop-${count}`, name, "/stop");
    const effect = { kind: "stop", sessionKey: keyOf(name) } as const;
    const notice = textOf(`command:${event.id}`, name, { kind: "command", markdown: "Stopped." });
    const settlement = { event, outcome: "command", reason: "command:stop", effect, notice, atStop: says } as const;
    await test.store.inbox.settle({ ...settlement, idleMarkdown: "Idle." });
    return async () => (await due()).find(({ deliveryKey }) => deliveryKey === notice.deliveryKey)?.markdown;
  }

  it("is withheld where nobody has begun to send it, its sender is told so, and so is the next turn", async () => {
    await answer("one");
    const [early] = await due();
    const told = await stop();
    assert.equal(answerIn(await due())?.isWithheld, true);
    assert.equal(await update(early, [sending], "pending"), "withdrawn", "a gateway that had read it before");
    assert.equal(answerIn(await due())?.parts, undefined);
    await update(early, [], "withdrawn");
    assert.equal(answerIn(await due()), undefined);
    assert.equal(await told(), "Stopped, withheld.");
    const { state, reason, reply } = (await test.store.inbox.status(accountId, eventOf(`${name}-one`, name).id)) ?? {};
    assert.deepEqual([state, reason, reply], ["dropped", "stopped", undefined]);
    await test.store.inbox.record(entryOf(`${name}-two`, name));
    const { undelivered } = await claim(test.store, name, worker);
    assert.deepEqual(
      undelivered?.map(({ stopped }) => stopped),
      ["withheld"],
    );
  });

  it("goes out where it is being sent, and its sender is told so", async () => {
    await answer("one");
    const [row] = await due();
    assert.equal(await update(row, [sending, part], "pending"), "written");
    const told = await stop();
    const sent: OutboxPart = { ...sending, state: "sent", messageId: brandAs<MessageId>("m1") };
    assert.equal(await update(row, [sent, sending], "pending"), "written", "no half of it");
    assert.equal(await update(row, [sent, sent], "sent"), "written");
    assert.equal(await told(), "Idle, sent.");
  });

  it("goes out where a message shows its beginning", async () => {
    const turn = await begin("one");
    await test.store.outbox.savePreview(lease, turn.start.turnId, { state: "posting" });
    await completeTurn(test.store, turn);
    await stop();
    const row = answerIn(await due());
    assert.equal(row?.isWithheld, undefined);
    assert.equal(await update(row, [sending], "pending"), "written");
  });

  it("is withheld where its worker ends it without having heard of that", async () => {
    const turn = await begin("one");
    const told = await stop();
    await completeTurn(test.store, turn);
    const row = answerIn(await due());
    assert.equal(row?.isWithheld, true);
    assert.equal((await test.store.turns.partial(turn.start.turnId))?.state, "aborted");
    assert.equal(await told(), "Stopped.");
  });

  it("ends with the words that a message shows, where its worker has not heard of that", async () => {
    const turn = await begin("one");
    await test.store.turns.savePartial(turn.lease, turn.start.turnId, "Half of");
    await test.store.outbox.savePreview(lease, turn.start.turnId, { state: "posting" });
    await stop();
    await completeTurn(test.store, turn);
    const row = answerIn(await due());
    assert.deepEqual([row?.markdown, row?.isWithheld], ["Half of …", undefined]);
  });

  it("is withheld from nobody else who has asked in a group", async () => {
    const [others, own] = [await answer("one", "7", "group"), await answer("two", "42", "group")];
    await stop();
    const answers = (await due()).filter(({ kind }) => kind === "reply");
    assert.deepEqual(
      answers.map(({ turnId, isWithheld }) => [turnId, isWithheld]),
      [
        [others, undefined],
        [own, true],
      ],
    );
  });

  it("is either withheld or begun, whoever comes first", async () => {
    for (let round = 0; round < 20; round += 1) {
      await answer(`round-${round}`);
      const row = answerIn(await due());
      const [outcome, told] = await Promise.all([update(row, [sending], "pending"), stop()]);
      await update(row, [], outcome === "written" ? "sent" : "withdrawn");
      assert.equal(await told(), outcome === "written" ? "Idle, sent." : "Stopped, withheld.");
      const [command] = await due();
      if (command !== undefined) await update(command, [], "sent");
    }
  });
});
