import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { EventFacts, MessageCreated } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

describe("what a person writes where nobody else sees it", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const inGroup: EventFacts = { conversation: "g1", kind: "group", mentionsSelf: true };

  function slash(text: string, facts: EventFacts = inGroup): MessageCreated {
    const event = desk.message({ text, ...facts });
    return { ...event, message: { ...event.message, unseen: true } };
  }

  const told = async (conversation = "g1") =>
    (await desk.outbox(conversation)).map(({ kind, privateTo }) => [kind, privateTo]);

  it("is answered to that person alone in a group", async () => {
    const gate = desk.gateWith({ policyOf: () => openGroups() });
    for (const text of ["/help", "/status", "/whoami", "/stop", "/new"]) await gate(slash(text));
    assert.deepEqual(await told(), Array(5).fill(["command", "u1"]));
  });

  it("is refused to that person alone, every time: it disturbs no group", async () => {
    const gate = desk.gateWith({ policyOf: () => openGroups() });
    for (const text of ["/new", "/new"]) await gate(slash(text, { ...inGroup, from: "stranger" }));
    await gate(slash("x".repeat(1_001)));
    assert.deepEqual(await told(), [
      ["command", "stranger"],
      ["command", "stranger"],
      ["notice", "u1"],
    ]);
  });

  it("is answered for everybody when everybody has seen it", async () => {
    const gate = desk.gateWith({ policyOf: () => openGroups() });
    await gate(desk.message({ text: "/status", ...inGroup }));
    assert.deepEqual(await told(), [["command", undefined]]);
  });

  it("is answered with an ordinary message in a direct conversation", async () => {
    await desk.gate(slash("/status", {}));
    assert.deepEqual(await told("c1"), [["command", undefined]]);
  });
});
