import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, instantOf, type TurnId, type UserId, type WaitsFor } from "@talaria/protocol";
import type { Ask } from "@talaria/store";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, policyOf, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("the word `approve` or `deny` where nobody can answer one message", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let count = 0;
  beforeEach(() => {
    desk = test.newDesk();
    gate = gateOf({ noReplies: true });
  });

  function gateOf(traits: { readonly noReplies?: true }): Gate {
    const policy = openGroups();
    const access = { ...policy.access, ...policyOf().access, groups: "open", owners: [brandAs<UserId>("u1")] } as const;
    return desk.gateWith({ policyOf: () => ({ ...policy, access }), traitsOf: () => traits });
  }

  /** What a turn of u1 asks, in `c1` unless told otherwise. */
  async function asked(kinds: readonly WaitsFor[], facts: EventFacts = {}): Promise<readonly string[]> {
    await desk.runTurn("deploy", { from: "u1", ...facts }, gate);
    const { conversation, sender } = desk.message({ from: "u1", ...facts });
    const asks: readonly Ask[] = kinds.map((waitsFor) => {
      count += 1;
      const id = `dd${count.toString(16).padStart(6, "0")}`;
      const question = JSON.stringify({ question: "Which?", choices: ["Red", "Blue"] });
      const call = { id, callId: `c${count}`, name: "ask", arguments: question, shown: `Deploy ${id}?` };
      const askers = [{ sender, role: "owner" as const }];
      return { ...call, waitsFor, approver: "owner", askers, expiresAt: instantOf(Date.now() + 3_600_000) };
    });
    const turnId = brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
    assert.equal(conversation.conversationId, facts.conversation ?? "c1");
    await test.store.turns.append(
      desk.lease,
      turnId,
      [],
      asks.map((ask) => ({ ask })),
    );
    return asks.map(({ id }) => id);
  }

  const say = (text: string, facts: EventFacts = {}) => gate(desk.message({ from: "u1", text, ...facts }));
  const settlements = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await test.store.calls.find(id))?.settlement));

  for (const [word, settlement] of [
    ["approve", "approved"],
    [" Deny. ", "denied"],
  ] as const)
    it(`decides by ${JSON.stringify(word)} the one thing that waits`, async () => {
      const ids = await asked(["approval"]);
      for (const other of ["yes", "ok", "1", "approve it", "approve all", "approve\nnot yet"])
        assert.equal(await say(other), "recorded");
      assert.deepEqual(await settlements(ids), [undefined]);
      assert.equal(await say(word), "recorded");
      assert.deepEqual(await settlements(ids), [settlement]);
    });

  it("decides none of several approvals, and lists them", async () => {
    const ids = await asked(["approval", "approval"]);
    await say("approve");
    assert.deepEqual(await settlements(ids), [undefined, undefined]);
    const told = (await desk.notices("c1")).at(-1) ?? "";
    for (const id of ids) assert.ok(told.includes(id), told);
  });

  it("is the agent's where something else is asked, too, or nothing, or where people can answer", async () => {
    await say("approve");
    const ids = await asked(["approval", "form"], { conversation: "c2" });
    await say("approve", { conversation: "c2" });
    const here = await asked(["approval"], { conversation: "c3" });
    gate = gateOf({});
    await say("approve", { conversation: "c3" });
    assert.deepEqual(await settlements([...ids, ...here]), [undefined, undefined, undefined]);
  });

  it("is the agent's in a group, and of somebody who may not it decides nothing", async () => {
    const group = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    const ids = await asked(["approval"], group);
    assert.equal(await say("approve", group), "recorded");
    const own = await asked(["approval"], { conversation: "c4" });
    await say("approve", { conversation: "c4", from: "u2" });
    assert.deepEqual(await settlements([...ids, ...own]), [undefined, undefined]);
  });
});
