import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brandAs, type EventId } from "@talaria/protocol";
import { type EventFacts, editOf } from "@talaria/testkit";
import { nextBatch } from "./batch.ts";
import { type Desk, openGroups, policyOf, useStore } from "./gate.fixture.ts";

const limit = 4_096;

describe("a long text that was cut into several messages", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  /** Without any memory, as of a process that just began. */
  const gate = (policy = policyOf()) =>
    desk.gateWith({ policyOf: () => policy, maxTextChars: 100_000, traitsOf: () => ({ cutsTextAt: limit }) });
  const at = Date.UTC(2026, 5, 1);
  const long = (letter: string) => letter.repeat(4_000);
  const say = (text: string, facts: EventFacts = {}) => desk.message({ text, at, ...facts });

  /** What a turn would read, once it may. */
  async function read(conversation = "c1"): Promise<readonly string[]> {
    for (;;) {
      const { take } = nextBatch(await desk.pending(conversation), 50);
      if (take.length > 0) return take.map(({ event }) => ("message" in event ? event.message.markdown : event.type));
      await sleep(50);
    }
  }

  it("waits for its rest, at most a second and a half, and is read as one", async () => {
    await gate()(say(long("a")));
    assert.deepEqual(await desk.pending("c1"), []);
    await gate()(say(long("b")));
    await gate()(say("the end"));
    assert.deepEqual(
      desk.said.filter((line) => line.startsWith("wake")),
      ["wake c1 in 1500", "wake c1 in 1500", "wake c1"],
    );
    assert.deepEqual(await read(), [`${long("a")}\n${long("b")}\nthe end`]);
  });

  it("is read as it is when nothing follows", async () => {
    await gate()(say(long("a")));
    assert.deepEqual(await read(), [long("a")]);
    await gate()(say("and now?"));
    assert.deepEqual(await read(), [long("a"), "and now?"]);
  });

  it("makes no other message wait", async () => {
    for (const text of ["hello", "x".repeat(3_000)]) await gate()(say(text));
    assert.deepEqual(
      desk.said.filter((line) => line.startsWith("wake")),
      ["wake c1", "wake c1"],
    );
    await desk.gate(say(long("a").slice(0, 1_000)));
    await desk.gateWith({ maxTextChars: 100_000 })(say(long("a")));
    assert.ok(!desk.said.join().includes("in 1500"), "nothing waits where apps don't cut");
  });

  it("is not joined with a text of somebody else, of another place, or of later", async () => {
    const policy = openGroups();
    const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    await gate(policy)(say(long("a"), inGroup));
    await gate(policy)(say("mine", { ...inGroup, from: "u2" }));
    assert.deepEqual(await read("g1"), [long("a"), "mine"]);
    await gate(policy)(say(long("b"), inGroup));
    await gate(policy)(say("the end of b", inGroup));
    assert.deepEqual(await read("g1"), [long("a"), "mine", `${long("b")}\nthe end of b`]);
  });

  it("needs the agent's name only in its first part", async () => {
    const policy = openGroups();
    const inGroup = { conversation: "g1", kind: "group" } as const;
    await gate(policy)(say(long("a"), { ...inGroup, mentionsSelf: true }));
    assert.equal(await gate(policy)(say(long("b"), inGroup)), "recorded");
    assert.equal(await gate(policy)(say("the end", { ...inGroup, at: at + 1_000 })), "recorded");
    assert.equal(await gate(policy)(say("something else", { ...inGroup, at: at + 1_000 })), "dropped");
    assert.deepEqual(await read("g1"), [`${long("a")}\n${long("b")}\nthe end`]);
    await gate(policy)(say(long("c"), { ...inGroup, mentionsSelf: true }));
    assert.equal(await gate(policy)(say("later", { ...inGroup, at: at + 10_000 })), "dropped");
    assert.equal(await gate(policy)(say("another", { ...inGroup, from: "u2" })), "dropped");
  });

  it("loses nothing when its rest comes to another process after the wait, and is stored once", async () => {
    const policy = openGroups();
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const first = say(long("a"), { ...inGroup, mentionsSelf: true });
    await gate(policy)(first);
    assert.deepEqual(await read("g1"), [long("a")]);
    assert.equal(await gate(policy)(structuredClone(first)), "duplicate");
    assert.equal(await gate(policy)(say("the end", inGroup)), "recorded");
    assert.deepEqual(await read("g1"), [long("a"), "the end"]);
  });

  it("is corrected and taken back part by part", async () => {
    const [first, second, third] = [say(long("a")), say(long("b")), say("teh end")];
    for (const event of [first, second, third, editOf(third, "the end")]) await gate()(event);
    const { message, ...rest } = second;
    await gate()({
      ...rest,
      id: brandAs<EventId>(`gone-${desk.accountId}`),
      type: "message.deleted",
      messageId: message.messageId,
    });
    assert.deepEqual(await read(), [`${long("a")}\nthe end`]);
  });
});
