import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type AccountPolicy, brandAs, type UserId } from "@talaria/protocol";
import { english } from "@talaria/words";
import { pair } from "../../store/src/test-people.ts";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

const { notices } = english;

describe("the gate and the roles of senders", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
  const roles = async (conversation: string) => (await desk.pending(conversation)).map(({ role }) => role);

  /** A gate of an account where `boss` is an owner and `u1` is listed, with groups open. */
  function group(sessions: Partial<AccountPolicy["sessions"]> = {}) {
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    return desk.gateWith({ policyOf: () => ({ ...policy, access, sessions: { ...policy.sessions, ...sessions } }) });
  }

  it("records with each event what its sender may do", async () => {
    const gate = group();
    await pair(test.store.pairing, { account: desk.accountId, id: "paired" });
    for (const from of ["boss", "u1", "paired", "stranger"]) await gate(desk.message({ from, ...inGroup }));
    assert.deepEqual(await roles("g1"), ["owner", "member", "member", "guest"]);
  });

  it("asks once whether somebody was paired, and not for those on a list", async () => {
    let asked = 0;
    const standingOf = async () => {
      asked += 1;
      return "approved" as const;
    };
    const gate = desk.gateWith({ pairing: { ...test.store.pairing, standingOf } });
    await gate(desk.message({ from: "u1", conversation: "c1" }));
    assert.equal(asked, 0);
    await gate(desk.message({ from: "u7", conversation: "c2" }));
    assert.equal(asked, 1);
    assert.deepEqual([...(await roles("c1")), ...(await roles("c2"))], ["member", "member"]);
  });

  for (const command of ["new", "stop", "retry"]) {
    const order = { text: `/${command}`, ...inGroup };

    it(`refuses /${command} of a guest while the agent answers somebody else, and does nothing`, async () => {
      const gate = group();
      await desk.runTurn("question of a member", inGroup, gate);
      const next = desk.message({ text: "the next question", ...inGroup });
      await gate(next);
      const event = desk.message({ from: "guest", ...order });
      assert.equal(await gate(event), "dropped");
      assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), undefined);
      assert.equal((await test.store.inbox.status(desk.accountId, next.id))?.state, "waiting");
      const status = await test.store.inbox.status(desk.accountId, event.id);
      assert.deepEqual([status?.state, status?.reason], ["refused", "needs_member"]);
      assert.deepEqual(await desk.notices("g1"), [notices.needsMember(command)]);
      assert.ok(desk.said.includes("count refused needs_member") && !desk.said.join().includes("cancel"));
      assert.equal(await gate(event), "duplicate");
    });

    it(`refuses /${command} of a guest where nothing runs`, async () => {
      const gate = group();
      assert.equal(await gate(desk.message({ from: "guest", ...order })), "dropped");
      await gate(desk.message({ text: "waits", from: "guest", ...inGroup }));
      assert.equal(await gate(desk.message({ from: "guest", ...order })), "dropped");
      assert.deepEqual(await desk.waiting("g1"), ["waits"]);
    });
  }

  it("tells a group once an hour that commands are refused, and carries out none of them", async () => {
    const gate = group();
    const orders = ["/stop", "/new", "/retry"].map((text) => desk.message({ from: "guest", ...inGroup, text }));
    for (const order of orders) assert.equal(await gate(order), "dropped");
    assert.deepEqual(await desk.notices("g1"), [notices.needsMember("stop")]);
    const states = await Promise.all(orders.map(({ id }) => test.store.inbox.status(desk.accountId, id)));
    assert.deepEqual(
      states.map((status) => status?.reason),
      ["needs_member", "needs_member", "needs_member"],
    );
  });

  it("lets a guest stop the turn that answers them", async () => {
    const gate = group();
    await desk.runTurn("question of a guest", { from: "guest", ...inGroup }, gate);
    assert.equal(await gate(desk.message({ from: "other", text: "/stop", ...inGroup })), "dropped");
    assert.equal(await gate(desk.message({ from: "guest", text: "/stop", ...inGroup })), "recorded");
    assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), "stopped");
  });

  it("lets members and owners stop any turn, and a guest reset a session of their own", async () => {
    const gate = group();
    for (const from of ["u1", "boss"]) {
      await desk.runTurn("question of a guest", { from: "guest", ...inGroup, conversation: `of ${from}` }, gate);
      assert.equal(
        await gate(desk.message({ from, text: "/stop", ...inGroup, conversation: `of ${from}` })),
        "recorded",
      );
      assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), "stopped");
    }
    assert.equal(
      await group({ groups: "sender" })(desk.message({ from: "guest", text: "/new", ...inGroup })),
      "recorded",
    );
  });

  it("lets a guest ask for help, status and identity", async () => {
    const gate = group();
    for (const text of ["/help", "/status", "/whoami"])
      assert.equal(await gate(desk.message({ from: "guest", text, ...inGroup })), "recorded", text);
  });

  it("refuses whoever only claims to be an owner, in groups too", async () => {
    const gate = group();
    const claim = { from: "boss", assurance: "claimed" } as const;
    for (const text of ["/stop", "hello"])
      assert.equal(await gate(desk.message({ ...claim, text, ...inGroup })), "dropped");
    assert.deepEqual([await desk.notices("g1"), await desk.pending("g1")], [[], []]);
  });
});
