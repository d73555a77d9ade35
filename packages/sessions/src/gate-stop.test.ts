import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type Asker,
  brandAs,
  type DeliveryKey,
  instantOf,
  type ProcessId,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { english } from "@talaria/words";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const { notices } = english;

const bare = { conversation: "g1", kind: "group" } as const;
const toUs = { ...bare, mentionsSelf: true } as const;

describe("/stop that names nobody", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  beforeEach(() => {
    desk = test.newDesk();
    gate = desk.gateWith({ policyOf: openGroups });
  });

  const told = (facts: EventFacts = {}) => gate(desk.message({ ...bare, text: "/stop", ...facts }));
  const isStopped = async () => (await test.store.turns.cancelled(desk.lease, desk.firstSeq)) === "stopped";

  it("stops what runs in the group, and says so", async () => {
    await desk.runTurn("work", toUs, gate);
    assert.equal(await told(), "recorded");
    assert.ok(await isStopped());
    assert.deepEqual(await desk.notices("g1"), ["Stopped."]);
  });

  it("is silent where nothing is under way, and is talk among others", async () => {
    assert.equal(await told(), "dropped");
    await desk.runTurn("work", toUs, gate);
    await desk.endTurn();
    assert.equal(await told(), "dropped");
    assert.deepEqual(await desk.notices("g1"), []);
  });

  /** The answer of the turn that has run waits to go out. */
  async function answerWaits(from: string): Promise<void> {
    await desk.runTurn("work", { ...toUs, from }, gate);
    const { sessionKey } = desk.lease;
    const turnId = brandAs<TurnId>(`turn-${sessionKey}`);
    const { conversation } = desk.message(toUs);
    const text = { deliveryKey: brandAs<DeliveryKey>(`reply:${turnId}`), kind: "reply", conversation, turnId } as const;
    await desk.endTurn();
    await test.store.outbox.add([{ ...text, sessionKey, markdown: "Done.", attachments: [] }]);
  }

  it("withholds an answer that waits to go out, and says so", async () => {
    await answerWaits("u1");
    assert.equal(await told({ from: "u1" }), "recorded");
    assert.equal((await desk.notices("g1")).at(-1), `Stopped. ${notices.answerWithheld}`);
  });

  it("withholds no answer to somebody else for a guest", async () => {
    await answerWaits("u1");
    assert.equal(await told({ from: "guest" }), "dropped");
    assert.ok(await test.store.operations.answerWaits(desk.lease.sessionKey));
    assert.equal((await desk.notices("g1")).at(-1), notices.needsMember("stop"));
  });

  it("withholds the answer to a guest, who has asked alone", async () => {
    await answerWaits("guest");
    assert.equal(await told({ from: "guest" }), "recorded");
    assert.equal((await desk.notices("g1")).at(-1), notices.answerWithheld);
  });

  it("stops nothing where it is for somebody else, is more than that, or comes late", async () => {
    await desk.runTurn("work", toUs, gate);
    const days = 3 * 86_400_000;
    const others: readonly EventFacts[] = [
      { text: "/stop@other" },
      { text: "/stop it, Bob" },
      { text: "please /stop" },
      { replyTo: "m-of-bob" },
      { conversation: "g2" },
      { thread: "t1" },
    ];
    for (const facts of others) assert.equal(await told(facts), "dropped", JSON.stringify(facts));
    const named = desk.message({ ...bare, text: "/stop" });
    await gate({ ...named, message: { ...named.message, mentions: [brandAs<UserId>("bob")] } });
    const late = desk.message({ ...bare, text: "/stop" });
    await gate({ ...late, occurredAt: instantOf(Date.parse(late.receivedAt) - days) });
    await gate(desk.message({ ...bare, text: "/stop", role: "bot" }));
    assert.equal(await isStopped(), false);
    assert.ok(!(await desk.notices("g1")).includes("Stopped."));
  });

  it("ends processes by /stop all, and not by /stop", async () => {
    const { conversation, sender } = desk.message(toUs);
    const holder = await desk.runTurn("work", toUs, gate);
    await desk.beginProcess({ command: "npm start", askers: [{ sender, role: "member" }], route: conversation });
    await desk.endTurn();
    assert.equal(await told(), "dropped");
    assert.equal(await told({ text: "/stop all" }), "recorded");
    assert.equal((await test.store.background.toEnd(holder)).length, 1);
  });

  it("is refused to a guest whom the turn doesn't answer", async () => {
    await desk.runTurn("work", toUs, gate);
    assert.equal(await told({ from: "guest" }), "dropped");
    assert.deepEqual([await isStopped(), await desk.notices("g1")], [false, [notices.needsMember("stop")]]);
  });
});

describe("a guest's /stop", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  beforeEach(() => {
    desk = test.newDesk();
    gate = desk.gateWith({ policyOf: openGroups });
  });

  const askerOf = (from: string): Asker => ({ sender: desk.message({ from }).sender, role: "guest" });
  const turnId = () => brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
  /** The running turn asks for people who get no answer before it ends. */
  async function waits(id: string, ...askers: readonly Asker[]): Promise<void> {
    const call = {
      id,
      callId: id,
      name: "deploy",
      arguments: "{}",
      shown: "Deploy it?",
      waitsFor: "approval",
    } as const;
    const ask = { ...call, approver: "member", askers, expiresAt: instantOf(Date.now() + 3_600_000) } as const;
    await test.store.turns.append(desk.lease, turnId(), [], [{ ask }]);
  }
  const stops = (from: string) => gate(desk.message({ ...toUs, from, text: "/stop" }));
  const settlement = async (id: string) => (await test.store.calls.find(id))?.settlement;

  it("ends what waits for people and nobody else has asked for, and nothing besides", async () => {
    await desk.runTurn("deploy", { ...toUs, from: "guest" }, gate);
    await waits("aa000001", askerOf("guest"));
    await waits("aa000002", askerOf("other"));
    await waits("aa000003", askerOf("guest"), askerOf("other"));
    await desk.endTurn();
    await gate(desk.message({ ...toUs, from: "u1", text: "mine waits" }));
    assert.equal(await stops("guest"), "recorded");
    assert.deepEqual(await Promise.all(["aa000001", "aa000002", "aa000003"].map(settlement)), [
      "cancelled",
      undefined,
      undefined,
    ]);
    assert.deepEqual(await desk.waiting("g1"), ["mine waits"]);
    assert.deepEqual(
      (await desk.notices("g1")).at(-1),
      "I no longer wait for an answer to what you alone had asked for.",
    );
    assert.equal(await stops("guest"), "dropped");
    assert.equal(await stops("nobody"), "dropped");
  });

  it("ends a turn that goes on for them after a call of theirs", async () => {
    await desk.runTurn("deploy", { ...toUs, from: "guest" }, gate);
    await waits("bb000001", askerOf("guest"));
    await desk.endTurn();
    await gate(desk.message({ ...toUs, from: "u1", text: "/approve bb000001" }));
    const holder = brandAs<ProcessId>("worker-after");
    await test.store.processes.register({ id: holder, kind: "worker", host: "here", pid: 1 }, 60_000);
    const claim = await test.store.turns.claim(desk.lease.sessionKey, holder, {
      ...{ historyEntries: 10, historyBytes: 100_000, pendingEvents: 10, givenUpMarkdown: "" },
    });
    const [first] = claim?.pending ?? [];
    assert.ok(claim && first?.event.type === "call.settled");
    const begun = { turnId: brandAs<TurnId>("turn-after"), take: [first.seq], drop: [], entries: [], prompt: "" };
    await test.store.turns.begin(claim.lease, { ...begun, spenders: [], route: first.route });
    assert.equal(await stops("other"), "dropped");
    assert.equal(await test.store.turns.cancelled(claim.lease, first.seq), undefined);
    assert.equal(await stops("guest"), "recorded");
    assert.equal(await test.store.turns.cancelled(claim.lease, first.seq), "stopped");
  });
});
