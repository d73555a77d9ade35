import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  brandAs,
  type DeliveryKey,
  instantOf,
  type MessageId,
  type TurnId,
  type UserId,
  type WaitsFor,
} from "@talaria/protocol";
import type { Ask } from "@talaria/store";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";
import type { PlatformTraits } from "./joining.ts";

const inChannel = { conversation: "g1", kind: "group" } as const;

describe("a thread below a question that waits in the channel", () => {
  const house = useStore();
  let desk: Desk;
  let gate: Gate;
  let count = 0;

  beforeEach(() => {
    desk = house.newDesk();
    gate = gateOf();
  });

  function gateOf(threads: PlatformTraits["threads"] = "talks"): Gate {
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    return desk.gateWith({ policyOf: () => ({ ...policy, access }), traitsOf: () => ({ threads }) });
  }

  const held = (question: object) => ({ arguments: JSON.stringify(question), heldBy: desk.lease.holder });
  const words = () => held({ choices: ["Use: 4", "Decline"], takesWords: true });
  const colours = { name: "ask", arguments: JSON.stringify({ question: "Which?", choices: ["Red", "Blue"] }) };

  /** The turn of u1 in the channel waits with a question, which the message `t1` shows. Answers with its id. */
  async function waiting(
    more: () => Partial<Ask> = words,
    thread = "t1",
    waitsFor: WaitsFor = "form",
    place: EventFacts = inChannel,
  ): Promise<string> {
    if ((desk.lease.holder as string) === "nobody")
      await desk.runTurn("book it", { from: "u1", ...place, mentionsSelf: true }, gate);
    count += 1;
    const [id, callId] = [count.toString(16).padStart(8, "0"), `c:${count}`];
    const { conversation, sender } = desk.message({ from: "u1", ...place });
    const turnId = brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
    const times = { shown: "?", expiresAt: instantOf(Date.now() + 3_600_000) };
    const ask = {
      id,
      callId,
      name: "book",
      waitsFor,
      askers: [{ sender, role: "guest" as const }],
      ...times,
      arguments: "{}",
    };
    const deliveryKey = brandAs<DeliveryKey>(`ask:${turnId}:${callId}`);
    const text = { deliveryKey, kind: "notice" as const, conversation, markdown: "?", attachments: [] };
    await house.store.turns.append(desk.lease, turnId, [], [{ ask: { ...ask, ...more() }, texts: [text] }]);
    const lease = await house.store.accounts.acquire(desk.accountId, "loopback", brandAs("gateway"), 60_000);
    assert.ok(lease);
    const row = (await desk.outbox("g1")).find((one) => one.deliveryKey === deliveryKey);
    assert.ok(row);
    const part = { markdown: "?", attachments: [], state: "sent", attempts: 1, unknown: 0 } as const;
    const parts = [{ ...part, messageId: brandAs<MessageId>(thread) }];
    await house.store.outbox.update(lease, { id: row.id, state: "sent", parts });
    return id;
  }

  const say = (text: string, facts: EventFacts = {}) =>
    gate(desk.message({ ...inChannel, thread: "t1", from: "u1", text, ...facts }));
  const found = async (id: string) => {
    const { settlement, content } = (await house.store.calls.find(id)) ?? {};
    return content ?? settlement;
  };
  const inThread = async () => (await desk.pending("g1", { thread: "t1" })).length;

  it("takes the first words of whoever was asked as the answer, whether or not they name us", async () => {
    const addressed: readonly EventFacts[] = [{}, { mentionsSelf: true }, { repliesToSelf: true }];
    for (const [n, facts] of addressed.entries()) {
      const thread = `t${n + 1}`;
      const id = await waiting(words, thread);
      assert.equal(await say("four, please", { thread, ...facts }), "recorded");
      assert.equal(await found(id), "four, please");
      assert.deepEqual(await desk.pending("g1", { thread }), [], "no conversation begins");
      assert.match((await desk.notices("g1")).join("\n"), /Your answer: four, please/);
    }
    assert.ok(desk.said.includes(`cancel ${desk.lease.holder} g1`), "its worker looks at once");
    assert.equal(await say("and now?"), "dropped");
    assert.equal(await say("and now?", { mentionsSelf: true }), "recorded");
    assert.equal(await inThread(), 1);
  });

  it("leaves everybody else's words to what becomes of them anyway", async () => {
    const id = await waiting();
    assert.equal(await say("five", { from: "u2" }), "dropped");
    assert.equal(await say("what do you think?", { mentions: [brandAs<UserId>("u2")] }), "dropped");
    assert.equal(await say("five", { thread: "t2" }), "dropped");
    assert.equal(await say("five", { from: "u2", mentionsSelf: true }), "recorded");
    assert.equal(await inThread(), 1);
    await gateOf("rooms")(desk.message({ ...inChannel, thread: "t1", from: "u1", text: "five" }));
    assert.equal(await found(id), undefined);
    await house.store.processes.retire(desk.lease.holder);
    await say("four");
    assert.equal(await found(id), undefined, "nobody would read it");
  });

  it("means the question above it alone", async () => {
    const [one, other] = [await waiting(() => colours), await waiting(() => colours, "t2")];
    await say("Blue", { thread: "t2" });
    assert.deepEqual([await found(one), await found(other)], [undefined, "Blue"]);
    await say("1");
    assert.equal(await found(one), "Red");
  });

  it("hands words that choose nothing to the turn that waits, as a reply in the channel would", async () => {
    const id = await waiting(() => colours);
    assert.equal(await say("rather green"), "recorded");
    assert.equal(await found(id), undefined);
    assert.equal(await inThread(), 0);
    await house.store.turns.handOver(desk.lease);
    const [pending] = await desk.pending("g1");
    assert.ok(pending && "message" in pending.event);
    assert.deepEqual([pending.event.message.markdown, pending.event.message.quote], ["rather green", undefined]);
    assert.equal(pending.route.threadId, undefined, "answered where it was asked");
  });

  it("decides an approval of the channel by a command without its number, of whoever may", async () => {
    const approval = (thread = "t1") => waiting(() => ({ approver: "owner" }), thread, "approval");
    const spoken = await approval("t3");
    const unsure = ["ok", "yes", "1", "no", "no, because it is late"];
    for (const text of ["well, no", "yes, they said so", ...unsure]) await say(text, { thread: "t3", from: "boss" });
    assert.equal((await house.store.calls.find(spoken))?.settlement, undefined, "that may be said to anybody");
    await say("yes", { thread: "t3" });
    await say("yes", { thread: "t4", from: "boss", mentionsSelf: true });
    await say("yes", { thread: "t3", from: "boss", mentions: [brandAs<UserId>("u2")] });
    const told = (await desk.notices("g1")).filter((text) => text.startsWith("Nothing is decided yet."));
    assert.equal(told.length, unsure.length, "whoever may decide is told how");
    await say("approve", { thread: "t3", from: "boss" });
    assert.equal((await house.store.calls.find(spoken))?.settlement, "approved");
    const id = await approval();
    await say("/approve", { mentionsSelf: true });
    assert.equal(await found(id), undefined, "who asked is no owner");
    await say("/approve", { mentionsSelf: true, from: "boss" });
    assert.equal(await found(id), "approved");
    const other = await approval("t2");
    await say("/deny not today", { thread: "t2", mentionsSelf: true, from: "boss" });
    assert.equal(await found(other), "not today");
  });

  it("says below a question that was decided how, and by whom, to whoever decides once more", async () => {
    const approval = (thread: string) => waiting(() => ({ approver: "owner", askers: [asker] }), thread, "approval");
    const { sender } = desk.message({ from: "u1", ...inChannel });
    const asker = { sender, role: "member" as const };
    const [approved, withdrawn] = [await approval("t1"), await approval("t2")];
    await say("/approve", { mentionsSelf: true, from: "boss", name: "Bo `ss`" });
    await say(`/deny ${withdrawn}`, { mentionsSelf: true, from: "u1", name: "Una" });
    assert.equal(await found(approved), "approved");
    const last = async () => (await desk.notices("g1")).at(-1);
    for (const name of ["approve", "deny"]) {
      await say(`/${name}`, { mentionsSelf: true, from: "boss" });
      assert.equal(await last(), "That was already approved by `Bo ss`.");
    }
    await say("/deny", { thread: "t2", mentionsSelf: true, from: "boss" });
    assert.equal(await last(), "That was already taken back by `Una`.");
    await say("/deny", { thread: "t9", mentionsSelf: true, from: "boss" });
    assert.equal(await last(), "Nothing here waits for your approval.");
  });

  describe("that was asked in the thread itself", () => {
    const within = { ...inChannel, thread: "t1" };
    const asked = (more: () => Partial<Ask> = () => colours) => waiting(more, `q${count + 1}`, "form", within);
    const approval = () => waiting(() => ({ approver: "owner" }), `q${count + 1}`, "approval", within);

    it("is answered by a choice that names nobody, not by what is said to others", async () => {
      const id = await asked();
      await say("Red", { from: "u2" });
      await say("Red", { mentions: [brandAs<UserId>("u2")] });
      assert.equal(await found(id), undefined);
      assert.equal(await say("blue"), "recorded");
      assert.equal(await found(id), "Blue");
    });

    it("is answered by its number where several wait", async () => {
      const [one, other] = [await asked(), await asked()];
      await say("Blue");
      assert.deepEqual([await found(one), await found(other)], [undefined, undefined]);
      assert.equal(await say(`/answer ${other} 2`), "recorded");
      assert.deepEqual([await found(one), await found(other)], [undefined, "Blue"]);
    });

    it("takes the decision of whoever may decide", async () => {
      const id = await approval();
      await say("/approve");
      await say("/approve", { thread: "t2", from: "boss" });
      await say("yes", { from: "boss" });
      assert.equal(await found(id), undefined);
      assert.equal(await say("/approve", { from: "boss" }), "recorded");
      assert.equal(await found(id), "approved");
      const [one, other] = [await approval(), await approval()];
      await say("/deny", { from: "boss" });
      assert.match((await desk.notices("g1")).join("\n"), new RegExp(`${one}[\\s\\S]*${other}`));
      await say(`/deny ${other}`, { from: "boss" });
      assert.deepEqual([await found(one), await found(other)], [undefined, "denied"]);
    });
  });
});
