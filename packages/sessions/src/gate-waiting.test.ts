import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, instantOf, type TurnId, type WaitsFor } from "@talaria/protocol";
import type { Ask } from "@talaria/store";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

const choices = JSON.stringify({ question: "Which colour?", choices: ["Red", "Blue"] });

describe("/status and /approvals where something waits for people", () => {
  const test = useStore();
  let desk: Desk;
  let count = 0;

  beforeEach(() => {
    desk = test.newDesk();
  });

  /** The turn that runs in c1 asks. Answers with the question's number. */
  async function waits(waitsFor: WaitsFor, more: Partial<Ask>): Promise<string> {
    count += 1;
    const id = `cc${count.toString(16).padStart(6, "0")}`;
    const askers = [{ sender: desk.message().sender, role: "member" }] as const;
    const call = { id, callId: `c${count}`, name: "deploy", arguments: "{}", shown: "Deploy it?", waitsFor, askers };
    const ask = { ...call, expiresAt: instantOf(Date.now() + 3_600_000), ...more };
    await test.store.turns.append(desk.lease, turnId(), [], [{ ask }]);
    return id;
  }
  const turnId = () => brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
  const said = async (text: string) => {
    await desk.gate(desk.message({ text }));
    return (await desk.notices("c1")).at(-1) ?? "";
  };

  it("say to what the turn waits for an answer, and how to give it", async () => {
    await desk.runTurn("deploy it");
    const id = await waits("approval", { approver: "owner" });
    await test.store.turns.suspend(desk.lease, turnId());
    assert.equal(
      await said("/status"),
      `I'm waiting for an answer.\n\nTo be answered:\n\n- \`${id}\`: Deploy it? An owner decides: \`/approve ${id}\` or \`/deny ${id}\`.`,
    );
  });

  it("stands in /where of the message, with who decides", async () => {
    await desk.runTurn("deploy it");
    const id = await waits("approval", { approver: "owner" });
    await test.store.turns.suspend(desk.lease, turnId());
    assert.equal(
      await said("/where"),
      `I'm working on it, and waiting for somebody to answer.\n\nTo be answered:\n\n- \`${id}\`: Deploy it? An owner decides: \`/approve ${id}\` or \`/deny ${id}\`.`,
    );
  });

  it("say so when its turn went on without the answer", async () => {
    await desk.runTurn("paint it");
    const id = await waits("form", { name: "ask", arguments: choices, shown: "Which colour?" });
    await desk.endTurn();
    assert.match(
      await said("/status"),
      new RegExp(
        `^I'm waiting for an answer\\.\n\nTo be answered:\n\n- \`${id}\`: Which colour\\? Whoever asked me answers: \`/answer ${id}\` and the number of a choice \\(1\\. Red, 2\\. Blue\\)\\.$`,
      ),
    );
    assert.match(
      await said("/approvals"),
      new RegExp(`^Waiting for your answer:\n\n- \`${id}\`: Which colour\\? .*/answer ${id}`),
    );
  });

  it("count what a call asks that runs, such as a form of an MCP server", async () => {
    const worker = await desk.runTurn("book it");
    const form = JSON.stringify({ choices: ["Decline"], takesWords: true });
    const id = await waits("form", { name: "question", arguments: form, shown: "The server asks", heldBy: worker });
    assert.match(
      await said("/status"),
      new RegExp(
        `^I'm waiting for an answer\\.[\\s\\S]*- \`${id}\`: The server asks\\. Whoever asked me answers: \`/answer ${id}\` and words of their own, or a choice \\(Decline\\)\\.$`,
      ),
    );
    const policy = openGroups();
    const open = desk.gateWith({ policyOf: () => ({ ...policy, access: { ...policy.access, direct: "open" } }) });
    await open(desk.message({ text: "/approvals", from: "u2", conversation: "c1" }));
    assert.equal((await desk.notices("c1")).at(-1), "Nothing here waits for your approval.", "they were not asked");
  });

  it("say that the agent works where something of an earlier turn waits", async () => {
    await desk.runTurn("deploy it");
    const id = await waits("approval", { approver: "member" });
    await desk.endTurn();
    await desk.runTurn("something else");
    assert.match(
      await said("/status"),
      new RegExp(`^I'm working on an answer\\.[\\s\\S]*\`${id}\`.* A member decides`),
    );
  });
});
