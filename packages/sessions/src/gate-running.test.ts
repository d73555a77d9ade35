import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { editOf, sampleEvents } from "@talaria/testkit";
import { type Desk, policyOf, useStore } from "./gate.fixture.ts";

describe("a message while a turn runs", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  it("ends the turn where messages interrupt", async () => {
    const worker = await desk.runTurn("a question");
    desk.said.length = 0;
    await desk.gateWith({ policyOf: () => policyOf("interrupt") })(desk.message({ text: "another" }));
    assert.deepEqual(desk.said, ["count recorded", "wake c1", `cancel ${worker} c1`]);
  });

  it("leaves the turn alone where messages wait", async () => {
    await desk.runTurn("a question");
    await desk.gate(desk.message({ text: "another" }));
    assert.ok(!desk.said.some((line) => line.startsWith("cancel")));
  });

  it("does not end the turn by being deleted", async () => {
    await desk.runTurn("a question");
    const deletion = sampleEvents({ account: desk.accountId }).find(({ type }) => type === "message.deleted");
    assert.ok(deletion);
    await desk.gateWith({ policyOf: () => policyOf("interrupt") })(deletion);
    assert.ok(!desk.said.some((line) => line.startsWith("cancel")));
    assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), undefined);
  });

  it("ends the turn by being changed", async () => {
    await desk.runTurn("a question");
    const edit = editOf(desk.message({ text: "a question" }), "a better question");
    await desk.gateWith({ policyOf: () => policyOf("interrupt") })(edit);
    assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), "superseded");
  });
});
