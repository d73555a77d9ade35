import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Conversation, InboundEvent } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("a conversation that changes its kind", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  beforeEach(() => {
    desk = test.newDesk();
    gate = desk.gateWith({ policyOf: openGroups });
  });

  const of = (text: string, kind: Conversation["kind"], facts: EventFacts = {}): InboundEvent => {
    const event = desk.message({ text, kind, mentionsSelf: true, ...facts });
    return { ...event, conversation: { ...event.conversation, platform: "matrix" } };
  };

  it("has what ran in private ended before the first message of the group is recorded", async () => {
    const worker = await desk.runTurn("in private");
    desk.said.length = 0;
    await gate(of("hello both", "group", { from: "u2" }));
    assert.deepEqual(desk.said, [`cancel ${worker} c1`, "deliver", "count recorded", "wake c1"]);
    assert.equal(await test.store.turns.cancelled(desk.lease, desk.firstSeq), "stopped");
    desk.said.length = 0;
    await gate(of("hello again", "group", { from: "u2" }));
    assert.deepEqual(desk.said, ["count recorded", "wake c1"]);
  });

  it("drops words of the group that nobody has read when it is direct again", async () => {
    await gate(of("among us", "group"));
    desk.said.length = 0;
    await gate(of("alone", "direct"));
    assert.deepEqual(desk.said, ["wake c1", "deliver", "count recorded", "wake c1"]);
    assert.deepEqual(
      (await desk.pending("c1")).map(({ event }) => "message" in event && event.message.markdown),
      ["alone"],
    );
  });

  it("lets everything go on that the store can't end now, and the platform tell the message again", async () => {
    const away = desk.gateWith({
      policyOf: openGroups,
      rights: { endFormerKind: () => Promise.reject(new Error("the database is away")) },
    });
    await assert.rejects(away(of("hello both", "group")), /database is away/);
    assert.deepEqual(desk.said, []);
    assert.equal(await gate(of("hello both", "group")), "recorded");
  });
});
