import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type EventId, type UserId } from "@talaria/protocol";
import { Desk, useStore } from "./gate.fixture.ts";

describe("pairing at the gate", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  it("gives a stranger one code, in one notice, and lets the person in once it is approved", async () => {
    const first = desk.message({ from: "u7", conversation: "p7" });
    assert.equal(await desk.gate(first), "dropped");
    assert.equal(await desk.gate(first), "duplicate");
    assert.equal(await desk.gate(desk.message({ from: "u7", conversation: "p7" })), "dropped");
    const [notice, ...others] = await desk.notices("p7");
    assert.deepEqual(others, []);
    const code = /talaria pair approve (\S+)`/.exec(notice ?? "")?.[1] ?? "";
    assert.equal((await test.store.pairing.approve(code))?.userId, "u7");
    assert.equal(await desk.gate(desk.message({ from: "u7", conversation: "p7", text: "let me in" })), "recorded");
    assert.deepEqual(await desk.waiting("p7"), ["let me in"], "nothing said before is brought up");
  });

  it("is for one account only", async () => {
    const asker = { id: brandAs<UserId>("u7"), displayName: "Ada" };
    const request = await test.store.pairing.request(desk.accountId, asker, brandAs<EventId>("asks"));
    assert.ok(request.outcome === "code" && (await test.store.pairing.approve(request.code)));
    const other = new Desk(test.store, `${desk.accountId}-other`);
    assert.equal(await other.gate(other.message({ from: "u7" })), "dropped");
  });

  it("is silent when too many wait", async () => {
    const outcomes = Array.from({ length: 25 }, (_, n) =>
      desk.gate(desk.message({ from: `s${n}`, conversation: `s${n}` })),
    );
    await Promise.all(outcomes);
    assert.equal(desk.said.filter((line) => line === "count refused pairing_code").length, 20);
    assert.equal(desk.said.filter((line) => line === "count refused pairing_full").length, 5);
    assert.equal(desk.said.filter((line) => line === "deliver").length, 20);
  });
});
