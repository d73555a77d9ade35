import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type Asker,
  brandAs,
  type DeliveryKey,
  instantOf,
  type MessageId,
  type ProcessId,
  type Role,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("questions that only an owner may decide, and the owners", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let count = 0;

  beforeEach(() => {
    desk = test.newDesk();
    const policy = openGroups();
    const access = {
      ...policy.access,
      direct: "open",
      owners: [brandAs<UserId>("boss"), brandAs<UserId>("chief")],
    } as const;
    gate = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
  });

  interface Asking {
    readonly conversation: string;
    readonly questions?: number;
    readonly approver?: Role;
    readonly sender?: Partial<Asker["sender"]>;
    readonly role?: Role;
  }

  /** A turn in a direct conversation, of a member unless told otherwise, that waits for so many calls. Answers with their ids. */
  async function waiting({ conversation, ...asking }: Asking) {
    await desk.runTurn("deploy", { from: "u1", conversation }, gate);
    return asks(asking);
  }

  /** The running turn asks so much, again. */
  async function asks({ questions = 1, approver = "owner", sender, role = "member" }: Omit<Asking, "conversation">) {
    const { lease } = desk;
    const person = { userId: brandAs<UserId>("u1"), role: "person", displayName: "Ada `L`" } as const;
    const askers = [{ sender: { ...person, assurance: "platform", ...sender } as Asker["sender"], role }];
    const asked = Array.from({ length: questions }, (_, n) => {
      count += 1;
      const id = `bb${count.toString(16).padStart(6, "0")}`;
      const call = { id, callId: `c${count}-${n}`, name: "deploy", arguments: "{}", waitsFor: "approval" } as const;
      return { ...call, approver, shown: `Deploy ${id}?`, askers, expiresAt: instantOf(Date.now() + 3_600_000) };
    });
    const append = asked.map((ask) => ({ ask }));
    await test.store.turns.append(lease, brandAs<TurnId>(`turn-${lease.sessionKey}`), [], append);
    return asked.map(({ id }) => id);
  }

  const boss = (text: string, facts: EventFacts = {}) =>
    gate(desk.message({ from: "boss", conversation: "b1", text, ...facts }));
  const told = () => desk.notices("b1");
  const settle = async () => {
    for (const call of await test.store.calls.forOwners())
      await test.store.calls.settle({ ...call, settlement: "cancelled" });
  };
  beforeEach(settle);

  it("are brought to the home that an owner names later, with who asks and where, and decided there", async () => {
    const [id] = await waiting({ conversation: "c1" });
    await boss("/sethome");
    const [set = "", question = ""] = await told();
    assert.match(set, /I'll ask you here[\s\S]*A question waits:$/);
    assert.match(question, /^Asked by `Ada L` in a direct conversation on `account-\d+`:[\s\S]*Deploy bb/);
    assert.match(question, new RegExp(`An owner can decide within .*/approve ${id}`));
    const [, row] = await desk.outbox("b1");
    assert.deepEqual(
      row?.choices?.map(({ id: choice }) => choice),
      [`approve-${id}`, `deny-${id}`],
    );
    await boss("/sethome");
    assert.equal((await told()).filter((text) => text.startsWith("Asked by")).length, 1, "brought once");
    await gate(desk.pressed(`approve-${id}`, { from: "boss", conversation: "b1" }));
    assert.equal((await test.store.calls.find(id ?? ""))?.settlement, "approved");
  });

  it("are brought to a home that was off meanwhile, those alone that were not asked there before", async () => {
    const [first = ""] = await waiting({ conversation: "c1" });
    await boss("/sethome");
    await boss("/sethome off");
    const [second = ""] = await asks({});
    await boss("/sethome");
    const questions = (await told()).filter((text) => text.startsWith("Asked by"));
    assert.deepEqual(
      questions.map((text) => /\/approve (\S{8})/.exec(text)?.[1]),
      [first, second],
    );
    assert.match(
      (await told()).at(-2) ?? "",
      /A question that I've asked you here before still waits: `\/approvals`\.\n\nA question waits:$/,
    );
    await boss("/sethome");
    assert.match(
      (await told()).at(-1) ?? "",
      /\n\n2 questions that I've asked you here before still wait: `\/approvals`\.$/,
    );
  });

  /** Questions that were brought to the owner's home, as messages there. */
  async function sentHome(): Promise<readonly MessageId[]> {
    const lease = await test.store.accounts.acquire(desk.accountId, "loopback", brandAs<ProcessId>("gateway"), 60_000);
    assert.ok(lease);
    const questions = (await desk.outbox("b1")).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:"));
    for (const { id, markdown, choices = [] } of questions) {
      const messageId = brandAs<MessageId>(`question-${id}`);
      const part = { markdown, attachments: [], choices, messageId, state: "sent", attempts: 1, unknown: 0 } as const;
      await test.store.outbox.update(lease, { id, state: "sent", parts: [part] });
    }
    return questions.map(({ id }) => brandAs<MessageId>(`question-${id}`));
  }

  it("are decided by a command that answers one of them, however many wait", async () => {
    const [[denied], [approved]] = [await waiting({ conversation: "c1" }), await waiting({ conversation: "c2" })];
    await boss("/sethome");
    const [first = "", second = ""] = await sentHome();
    await boss("/deny all", { replyTo: first });
    assert.match((await told()).at(-1) ?? "", /^Nothing was denied\./);
    await boss("/approve no", { replyTo: second });
    await boss("/approve", { replyTo: "some other message" });
    assert.equal((await test.store.calls.find(approved ?? ""))?.settlement, undefined);
    await boss("/deny", { replyTo: first });
    assert.equal((await test.store.calls.find(denied ?? ""))?.settlement, "denied");
    await boss("/approve", { replyTo: second });
    assert.equal((await test.store.calls.find(approved ?? ""))?.settlement, "approved");
    await boss("/approve", { replyTo: first });
    assert.equal((await told()).at(-1), "That was already denied by `Ada`.");
  });

  it("keep the reason that stands behind a command or a plain `deny`", async () => {
    const [[one], [other]] = [await waiting({ conversation: "c1" }), await waiting({ conversation: "c2" })];
    await boss("/sethome");
    const [first = "", second = ""] = await sentHome();
    await boss("/deny too slow", { replyTo: first });
    for (const words of [
      "deny too slow?",
      "no, too slow",
      "deny it unless it is fast",
      "deny but approve 2",
      "Don't deny",
    ])
      await boss(words, { replyTo: second });
    assert.equal((await test.store.calls.find(other ?? ""))?.settlement, undefined);
    await boss("deny too slow", { replyTo: second });
    for (const id of [one, other]) {
      const call = await test.store.calls.find(id ?? "");
      assert.deepEqual([call?.settlement, call?.content], ["denied", "too slow"]);
    }
  });

  it("come five of each conversation and twenty in all, and the others are counted", async () => {
    const asked: (readonly string[])[] = [];
    for (let n = 0; n < 5; n += 1) asked.push(await waiting({ conversation: `many-${n}`, questions: 6 }));
    await boss("/sethome");
    const [set = "", ...questions] = await told();
    assert.match(set, /20 questions wait: these, and 10 more: `\/approvals`$/);
    assert.equal(questions.length, 20);
    const ofFirst = questions.filter((text) => asked[0]?.some((id) => text.includes(`Deploy ${id}?`)));
    assert.equal(ofFirst.length, 5);
  });

  it("are listed for an owner in private, with number, conversation, who asks and what", async () => {
    const [id] = await waiting({ conversation: "c1" });
    await boss("/approvals");
    const [list = ""] = await told();
    assert.match(list, /^Waiting for an owner in other conversations:/);
    assert.match(
      list,
      new RegExp(`\`${id}\`, asked by \`Ada L\` in a direct conversation on \`account-\\d+\`: Deploy ${id}\\?`),
    );
    await boss("/approve");
    assert.match((await told()).at(-1) ?? "", /`\/approvals` lists/);
    await boss(`/approve ${id}`);
    assert.equal((await test.store.calls.find(id ?? ""))?.settlement, "approved");
    await boss("/approvals");
    assert.equal((await told()).at(-1), "Nothing here waits for your approval.");
  });

  it("are counted in what an owner reads of the state, in private, and in nobody else's", async () => {
    await waiting({ conversation: "c1", questions: 2 });
    await waiting({ conversation: "c3" });
    await boss("/status");
    assert.match(
      (await told()).at(-1) ?? "",
      /\n\n3 questions wait for you in other conversations: `\/approvals` lists them\.$/,
    );
    await boss("/status", { conversation: "g1", kind: "group", mentionsSelf: true });
    await gate(desk.message({ from: "u2", conversation: "d2", text: "/status" }));
    for (const text of [...(await desk.notices("g1")), ...(await desk.notices("d2"))])
      assert.ok(!text.includes("other conversations"), text);
  });

  it("say where they were asked first that an owner was asked later, once", async () => {
    const [id = ""] = await waiting({ conversation: "c1" });
    const { lease, accountId } = desk;
    const turnId = brandAs<TurnId>(`turn-${lease.sessionKey}`);
    const call = await test.store.calls.find(id);
    assert.ok(call);
    const deliveryKey = brandAs<DeliveryKey>(`ask:${turnId}:${call.callId}`);
    const choices = [{ id: `approve-${id}`, label: "Approve" }];
    const text = { deliveryKey, kind: "notice", markdown: "?", attachments: [], choices } as const;
    await test.store.outbox.add([{ ...text, conversation: call.route }]);
    await boss("/sethome");
    await boss("/sethome off");
    await boss("/sethome");
    const closings = (await desk.outbox("c1")).filter(({ kind }) => kind === "closing");
    assert.deepEqual(
      closings.map(({ closes }) => closes),
      [deliveryKey],
    );
    const account = await test.store.accounts.acquire(accountId, "loopback", brandAs<ProcessId>("gateway"), 60_000);
    const row = (await desk.outbox("c1")).find((one) => one.deliveryKey === deliveryKey);
    assert.ok(account && row);
    const part = { markdown: "?", attachments: [], choices, state: "sent", attempts: 1, unknown: 0 } as const;
    const parts = [{ ...part, messageId: brandAs<MessageId>("m1") }];
    await test.store.outbox.update(account, { id: row.id, state: "sent", parts });
    assert.equal((await test.store.outbox.question(deliveryKey))?.askedSince, true);
    const atHome = (await desk.outbox("b1")).find((one) => one.deliveryKey.startsWith("ask:"));
    assert.equal((await test.store.outbox.question(atHome?.deliveryKey ?? deliveryKey))?.askedSince, undefined);
  });

  it("are shown neither to others, nor in a group", async () => {
    const [id = ""] = await waiting({ conversation: "c1" });
    await gate(desk.message({ from: "u2", conversation: "d2", text: "/approvals" }));
    await gate(desk.message({ from: "boss", conversation: "d2", text: "/approvals", role: "bot" }));
    await boss("/approvals", { conversation: "g1", kind: "group", mentionsSelf: true });
    for (const text of [...(await desk.notices("d2")), ...(await desk.notices("g1"))]) assert.ok(!text.includes(id));
  });

  it("stay private where an owner has asked, a member may decide, or another owner's route has asked", async () => {
    await waiting({ conversation: "c1", role: "owner", sender: { userId: brandAs<UserId>("chief") } });
    await waiting({ conversation: "c2", approver: "member" });
    const route = { role: "system", assurance: "signed" } as const;
    const mandate = { owner: "loopback:user:chief", toolsets: ["files"] } as const;
    const [own] = await waiting({ conversation: "c3", role: "owner", sender: { ...route, mandate } });
    await boss("/approvals");
    await boss("/sethome");
    const [list, ...rest] = await told();
    assert.equal(list, "Nothing here waits for your approval.");
    assert.equal(rest.length, 1);
    await gate(desk.message({ from: "chief", conversation: "b2", text: "/approvals" }));
    const [ofChief = ""] = await desk.notices("b2");
    assert.ok(ofChief.includes(own ?? "never"));
  });
});
