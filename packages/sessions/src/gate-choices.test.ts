import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

const inGroup = { conversation: "g1", kind: "group" } as const;

describe("choices below a message of ours", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const gateOf = (close: boolean) =>
    desk.gateWith({
      policyOf: () => openGroups(),
      traitsOf: () => ({ choices: close ? { close: true } : {} }),
    });
  const press = (from: string, actionId: string, messageId = "m1") =>
    desk.pressed(actionId, { ...inGroup, from, messageId });

  it("begin one turn where a press closes them, whoever presses what, also at once and after a restart", async () => {
    const outcomes = await Promise.all([
      gateOf(true)(press("u1", "green-1")),
      gateOf(true)(press("u2", "black-2")),
      gateOf(true)(press("u1", "green-1")),
    ]);
    assert.deepEqual(outcomes.toSorted(), ["duplicate", "duplicate", "recorded"]);
    assert.equal(await gateOf(true)(press("u3", "black-2")), "duplicate");
    assert.equal(await gateOf(true)(press("u3", "black-2", "m2")), "recorded", "another message");
    assert.deepEqual(await desk.waiting("g1"), ["action.invoked", "action.invoked"]);
  });

  it("begin a turn with each press where they stay open", async () => {
    const outcomes = [await gateOf(false)(press("u1", "green-1")), await gateOf(false)(press("u1", "black-2"))];
    assert.deepEqual(outcomes, ["recorded", "recorded"]);
  });

  it("stay open to others when a press is refused", async () => {
    const strict = desk.gateWith({ traitsOf: () => ({ choices: { close: true } }) });
    const inPrivate = (from: string) => desk.pressed("green-1", { from, messageId: "m3" });
    assert.equal(await strict(inPrivate("stranger")), "dropped");
    assert.equal(await strict(inPrivate("u1")), "recorded");
  });
});
