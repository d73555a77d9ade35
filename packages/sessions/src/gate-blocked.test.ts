import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type AccountPolicy, brandAs, type UserId } from "@talaria/protocol";
import { type EventFacts, editOf } from "@talaria/testkit";
import { askAccess, welcomes } from "../../store/src/test-people.ts";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

describe("somebody whom an owner has blocked", () => {
  const test = useStore();
  let desk: Desk;
  let access: Partial<AccountPolicy["access"]>;

  beforeEach(() => {
    desk = test.newDesk();
    access = {};
  });

  const policyOf = () => {
    const policy = openGroups();
    return { ...policy, access: { ...policy.access, owners: [brandAs<UserId>("ann")], ...access } };
  };
  const gate = (more: Parameters<Desk["gateWith"]>[0] = {}) => desk.gateWith({ policyOf, ...more });
  const block = async (id: string) => {
    const asked = await askAccess(test.store.pairing, { account: desk.accountId, id });
    assert.ok(asked.outcome === "code");
    await test.store.pairing.decide({ id: asked.id, from: ["waiting"], to: "blocked", ...welcomes });
  };
  const says = (from: string, facts: EventFacts = {}, answers = gate()) => answers(desk.message({ from, ...facts }));
  const group = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
  const refused = () => desk.said.filter((line) => line.startsWith("count refused")).map((line) => line.slice(14));

  it("is answered nowhere on the account: in no group, no open account, no thread and no foreign chat", async () => {
    await block("eve");
    const first = desk.message({ from: "eve", ...group });
    assert.equal(await gate()(first), "dropped");
    await gate()(editOf(first, "@bot hello"));
    await says("eve", { ...group, thread: "t1" });
    await says("eve", { ...group, text: "/help@bot" });
    await gate()(desk.pressed("help", { from: "eve", ...group }));
    const called = desk.message({ from: "eve", ...group, conversation: "foreign" });
    await gate()({ ...called, conversation: { ...called.conversation, guest: true } });
    await says("eve", { conversation: "p-eve" });
    access = { direct: "open" };
    await says("eve", { conversation: "p-eve" });
    assert.deepEqual(
      refused(),
      Array.from({ length: 8 }, () => "pairing_blocked"),
    );
    const status = await test.store.inbox.status(desk.accountId, first.id);
    assert.deepEqual([status?.state, status?.reason], ["refused", "pairing_blocked"]);
    assert.deepEqual([await desk.waiting("g1"), await desk.notices("g1"), await desk.notices("p-eve")], [[], [], []]);
    assert.equal(await says("mia", group), "recorded", "others there are answered");
  });

  it("is not overheard, and brings owners no question about a group", async () => {
    await block("eve");
    await says("eve", { ...group, mentionsSelf: false, text: "the password is 1234" });
    await says("mia", group);
    assert.equal((await desk.pending("g1"))[0]?.overheard, undefined);
    access = { groups: "allowlist" };
    await says("eve", { ...group, conversation: "theirs" });
    assert.equal(
      (await test.store.groups.list()).some(({ conversationId }) => conversationId === brandAs("theirs")),
      false,
    );
  });

  it("is blocked on that account alone, until the block ends", async () => {
    await block("eve");
    const other = test.newDesk();
    const there = other.gateWith({ policyOf });
    assert.equal(await there(other.message({ from: "eve", ...group })), "recorded");
    const row = (await test.store.pairing.list()).find(({ accountId }) => accountId === desk.accountId);
    assert.ok(row);
    await test.store.pairing.decide({ id: row.id, from: ["blocked"], to: "forgotten", ...welcomes });
    assert.equal(await says("eve", group), "recorded");
  });

  it("is not whoever stands in the configuration, whatever was decided before", async () => {
    for (const id of ["ann", "u1"]) {
      await block(id);
      assert.equal(await says(id, group), "recorded");
      assert.equal(await says(id, { conversation: `p-${id}` }), "recorded");
    }
  });

  it("costs one question to the store for each message of people on no list, and none for others", async () => {
    let asked = 0;
    const standingOf: typeof test.store.pairing.standingOf = (...who) => {
      asked += 1;
      return test.store.pairing.standingOf(...who);
    };
    const counting = gate({ pairing: { ...test.store.pairing, standingOf } });
    for (const from of ["ann", "u1"]) await says(from, group, counting);
    assert.equal(asked, 0);
    await says("mia", group, counting);
    assert.equal(asked, 1);
  });

  it("loses at once what runs and waits of them in groups, and others there keep what waits of theirs", async () => {
    await desk.runTurn("begun by a guest", { from: "eve", ...group }, gate());
    await says("eve", { ...group, conversation: "g2", text: "waits" });
    await says("mia", { ...group, conversation: "g2", text: "mine" });
    await says("ann", { conversation: "p-ann", text: "/sethome" });
    await says("eve", { conversation: "p-eve", text: "let me in" });
    assert.equal(await says("ann", { conversation: "p-ann", text: `/people block ${desk.accountId}/eve` }), "recorded");
    assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), "stopped");
    assert.deepEqual(await desk.waiting("g2"), ["mine"]);
  });
});
