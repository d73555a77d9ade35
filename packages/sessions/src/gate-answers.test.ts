import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type Asker, brandAs, type DeliveryKey, instantOf, type MessageId, type TurnId } from "@talaria/protocol";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const hourMs = 3_600_000;
const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;

describe("the gate and questions that wait for a choice", () => {
  const house = useStore();
  let desk: Desk;
  let gate: Gate;
  let count = 0;

  beforeEach(() => {
    desk = house.newDesk();
    gate = desk.gateWith({ policyOf: () => openGroups() });
  });

  /** A turn in the group, asked for by u1, that waits with a question. Answers with its id. */
  async function waiting(
    choices: readonly string[] = ["Red", "Blue"],
    name = "ask",
    endsInMs = hourMs,
    held?: object,
    facts: object = inGroup,
  ): Promise<string> {
    if ((desk.lease.holder as string) === "nobody") await desk.runTurn("paint it", { from: "u1", ...facts }, gate);
    count += 1;
    const id = count.toString(16).padStart(8, "0");
    const event = desk.message({ from: "u1", ...facts });
    const askers: readonly Asker[] = [{ sender: event.sender, role: "guest" }];
    const asked = { name, arguments: JSON.stringify(held ?? { question: "Which colour?", choices }), askers };
    const heldBy = held === undefined ? {} : { heldBy: desk.lease.holder };
    const times = { shown: "Which colour?", expiresAt: instantOf(Date.now() + endsInMs) };
    const ask = { id, callId: `c${count}`, waitsFor: "form" as const, ...asked, ...times, ...heldBy };
    const turnId = brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
    const text = {
      ...{ deliveryKey: brandAs<DeliveryKey>(`ask:${turnId}:c${count}`), kind: "notice" as const, attachments: [] },
      ...{ conversation: event.conversation, markdown: "Which colour?" },
    };
    await house.store.turns.append(desk.lease, turnId, [], [{ ask, texts: [text] }]);
    return id;
  }
  const stateOf = async (id: string) => (await house.store.calls.find(id))?.settlement;
  const texts = async () => (await desk.notices("g1")).join("\n");
  const press = (from: string, id: string, n: number) => gate(desk.pressed(`answer-${id}-${n}`, { from, ...inGroup }));

  it("takes the choice of whoever was asked, once, by a button", async () => {
    const id = await waiting();
    await press("u2", id, 1);
    assert.equal(await stateOf(id), undefined, "a stranger in the group chooses nothing");
    assert.equal(await press("u1", id, 2), "recorded");
    assert.equal(await stateOf(id), "answered");
    assert.equal(await press("u1", id, 1), "duplicate", "its message must not show this choice");
    await press("u1", id, 3);
    const said = await texts();
    for (const part of [/for whoever asked me/, /Your answer: Blue/, /already answered/, /No question/])
      assert.match(said, part);
    assert.doesNotMatch(said, /Your answer: Red/);
  });

  it("takes a number or a label in words of whoever was asked, and nothing else", async () => {
    const id = await waiting(["Red", "Blue", "2"]);
    for (const [from, text] of [
      ["u1", "4"],
      ["u1", "blue please"],
      ["u2", "Blue"],
    ] as const)
      await gate(desk.message({ from, text, ...inGroup }));
    assert.equal(await stateOf(id), undefined);
    const recorded = desk.said.filter((line) => line === "count recorded");
    assert.equal(recorded.length, 4, "the first message and all these words reach the agent");
    await gate(desk.message({ from: "u1", text: "@talaria  2", ...inGroup }));
    assert.equal(await stateOf(id), "answered");
    assert.match(await texts(), /Your answer: 2/);
    const written = await waiting(["Yes, delete", "No"]);
    await gate(desk.message({ from: "u1", text: "yes, delete.", ...inGroup }));
    assert.equal(await stateOf(written), "answered", "whatever its case, and as a sentence");
  });

  it("asks for more where two questions could be meant, and takes no answer for another tool's form", async () => {
    const [one, other] = [await waiting(), await waiting()];
    await gate(desk.message({ from: "u1", text: "Blue", ...inGroup }));
    assert.deepEqual([await stateOf(one), await stateOf(other)], [undefined, undefined]);
    await gate(desk.message({ from: "u1", text: `/answer ${other} 1`, ...inGroup }));
    assert.deepEqual([await stateOf(one), await stateOf(other)], [undefined, "answered"]);
    const form = await waiting(["Red", "Blue"], "fill_in");
    await press("u1", form, 1);
    assert.equal(await stateOf(form), undefined);
  });

  it("takes an answer only where it was asked, and in time", async () => {
    const id = await waiting();
    await gate(desk.pressed(`answer-${id}-1`, { from: "u1", ...inGroup, conversation: "g2" }));
    assert.equal(await stateOf(id), undefined);
    await gate(desk.message({ from: "u1", text: "/stop", ...inGroup }));
    await press("u1", id, 1);
    assert.equal(await stateOf(id), "cancelled");
    assert.match(await texts(), /already answered/);
  });

  /** A call of that turn, held by its worker, asks for words. */
  async function askedForWords(facts: object): Promise<string> {
    const id = await waiting([], "mcp_desk_book", hourMs, { choices: ["Use: 4", "Decline"], takesWords: true }, facts);
    assert.equal((await house.store.calls.find(id))?.heldBy, desk.lease.holder);
    return id;
  }
  const contentOf = async (id: string) => (await house.store.calls.find(id))?.content;
  const recorded = () => desk.said.filter((line) => line === "count recorded").length;

  it("takes the next words in a direct conversation, which neither go to the agent nor begin a turn", async () => {
    const id = await askedForWords({});
    assert.equal(recorded(), 1);
    await gate(desk.message({ from: "u1", text: "/status" }));
    assert.equal(await stateOf(id), undefined, "a command is a command");
    await gate(desk.message({ from: "u1", text: " 2 people,\nplease " }));
    assert.deepEqual([await stateOf(id), await contentOf(id)], ["answered", "2 people,\nplease"]);
    assert.equal(recorded(), 1);
    assert.deepEqual(await desk.waiting("c1"), []);
    assert.ok(desk.said.includes(`cancel ${desk.lease.holder} c1`), "its worker looks at once");
    const number = await askedForWords({});
    await gate(desk.message({ from: "u1", text: "2" }));
    assert.equal(await contentOf(number), "2", "no number of a choice");
    const label = await askedForWords({});
    await gate(desk.message({ from: "u1", text: "decline" }));
    assert.equal(await contentOf(label), "Decline");
    const button = await askedForWords({});
    await gate(desk.pressed(`answer-${button}-1`, { from: "u1" }));
    assert.equal(await contentOf(button), "Use: 4");
    await gate(desk.message({ from: "u1", text: "and now?" }));
    assert.equal(recorded(), 2);
  });

  it("leaves words to the agent once the worker has died that asked for them", async () => {
    const id = await askedForWords({});
    const before = recorded();
    await house.store.processes.retire(desk.lease.holder);
    await gate(desk.message({ from: "u1", text: "2 people" }));
    await gate(desk.message({ from: "u1", text: `/answer ${id} 2 people` }));
    assert.equal(await stateOf(id), undefined);
    assert.equal(recorded(), before + 1);
  });

  it("takes words in a group by reply to the question or with its number, of nobody else and nothing else", async () => {
    const id = await askedForWords(inGroup);
    const [shown] = (await desk.outbox("g1")).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:"));
    assert.ok(shown);
    const gateway = await house.store.accounts.acquire(desk.accountId, "loopback", brandAs("gateway"), 60_000);
    assert.ok(gateway);
    const part = {
      markdown: "?",
      attachments: [],
      unknown: 0,
      state: "sent",
      attempts: 1,
      messageId: brandAs<MessageId>("question-1"),
    } as const;
    await house.store.outbox.update(gateway, { id: shown.id, state: "sent", parts: [part] });
    const replying = (from: string, replyTo: string) =>
      desk.message({ from, text: "four", ...inGroup, replyTo, repliesToSelf: true });
    await gate(desk.message({ from: "u1", text: "four", ...inGroup }));
    await gate(replying("u2", "question-1"));
    await gate(replying("u1", "another-1"));
    assert.equal(await stateOf(id), undefined);
    assert.equal(recorded(), 4);
    await gate(replying("u1", "question-1"));
    assert.equal(await contentOf(id), "four");
    const other = await askedForWords(inGroup);
    await gate(desk.message({ from: "u1", text: `/answer ${other} Table For Two`, ...inGroup }));
    assert.equal(await contentOf(other), "Table For Two");
    assert.equal(recorded(), 4);
  });

  it("hands a number to the agent when the question's time is over", async () => {
    const late = await waiting(["Red", "Blue"], "ask", -1_000);
    await gate(desk.message({ from: "u1", text: "1", ...inGroup }));
    assert.equal(await stateOf(late), undefined);
    assert.equal(desk.said.filter((line) => line === "count recorded").length, 2);
    const id = await waiting();
    await gate(desk.message({ from: "u1", text: "1", ...inGroup }));
    assert.equal(await stateOf(id), "answered", "one that is over is not meant");
  });
});
