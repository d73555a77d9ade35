import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Asker, brandAs, instantOf, type MessageId, type UserId } from "@talaria/protocol";
import type { Ask } from "../ports/calls.ts";
import type { OutboxText } from "../ports/outbox.ts";
import {
  beginTurn,
  createTestStore,
  entryOf,
  newAccountLease,
  newWorker,
  type RunningTurn,
  type TestStore,
  textOf,
} from "../test-store.ts";

const sender: Asker["sender"] = {
  userId: brandAs<UserId>("42"),
  role: "person",
  displayName: "Ada",
  assurance: "platform",
};

describe("questions that wait, for who runs the agent", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  async function asking(session: string, ask: Partial<Ask>, texts: readonly OutboxText[] = []): Promise<RunningTurn> {
    const { store } = test;
    await store.inbox.record(entryOf(`asked-${session}`, session));
    const turn = await beginTurn(store, session, await newWorker(store));
    const askers = [{ sender, role: "member" }] as const;
    const call = { id: session, callId: "c1", name: "deploy", arguments: "{}", waitsFor: "approval", askers } as const;
    const whole = { ...call, shown: "Deploy?", expiresAt: instantOf(Date.now() + 3_600_000), ...ask };
    await store.turns.append(turn.lease, turn.start.turnId, [], [{ ask: whole, texts }]);
    return turn;
  }

  async function sendAll(): Promise<void> {
    const { store } = test;
    const lease = await newAccountLease(store);
    for (const row of await store.outbox.due(lease, [], 100)) {
      const messageId = brandAs<MessageId>(`m-${row.id}`);
      const part = {
        markdown: row.markdown,
        attachments: [],
        state: "sent",
        attempts: 1,
        unknown: 0,
        messageId,
      } as const;
      await store.outbox.update(lease, { id: row.id, state: "sent", parts: [part] });
    }
  }

  it("are told with where they wait, since when, and where people have seen them", async () => {
    const { store } = test;
    const key = (session: string, place = "") => `ask:${turnOf(session)}:c1${place}`;
    const turnOf = (session: string) => turns.get(session);
    const turns = new Map<string, string>();
    const first = await asking("aaaaaaaa", { approver: "owner" });
    turns.set("aaaaaaaa", first.start.turnId);
    await store.outbox.add([textOf(key("aaaaaaaa"), "aaaaaaaa"), textOf(key("aaaaaaaa", ":acct:home"), "home")]);
    await sendAll();
    await asking("bbbbbbbb", { name: "ask", waitsFor: "form" });
    const process = await newWorker(store);
    await asking("cccccccc", { waitsFor: "process", heldBy: process });
    const { questions, all } = await store.operations.questions(10);
    assert.equal(all, 2, "nobody is asked about a process");
    assert.deepEqual(
      questions.map(({ id, name, waitsFor, approver, route, told }) => [
        ...[id, name, waitsFor, approver, route.conversationId],
        told.map(({ conversationId, isSent }) => `${conversationId} ${isSent}`),
      ]),
      [
        ["aaaaaaaa", "deploy", "approval", "owner", "aaaaaaaa", ["aaaaaaaa true", "home true"]],
        ["bbbbbbbb", "ask", "form", undefined, "bbbbbbbb", []],
      ],
    );
    assert.equal((await store.operations.questions(1)).questions.length, 1);
    const { all: inAll, approvals } = await store.operations.questions(1);
    assert.deepEqual([inAll, approvals], [2, 1]);
  });

  it("of calls that run count as waiting, and stand in the trace of their turn", async () => {
    const { store } = test;
    const holder = await newWorker(store);
    const before = await store.operations.backlog();
    const { start, lease } = await asking("dddddddd", { waitsFor: "form", name: "question", heldBy: holder });
    const backlog = await store.operations.backlog();
    assert.deepEqual(
      [backlog.suspendedTurns - before.suspendedTurns, backlog.runningTurns - before.runningTurns],
      [1, 0],
    );
    await store.calls.settle({ id: "dddddddd", sessionKey: lease.sessionKey, settlement: "answered", by: sender });
    const [trace] = await store.operations.trace(start.turnId);
    const steps = trace?.steps.filter(({ details }) => details.id === "dddddddd") ?? [];
    assert.deepEqual(
      steps.map(({ step, details }) => [step, details.settlement, details.by]),
      [
        ["waits", undefined, undefined],
        ["settled", "answered", "42"],
      ],
    );
  });
});
