import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type AccountId, brandAs, type MessageId, type ProcessId, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, policyOf, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("words that answer the question about a stranger or a group", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;

  beforeEach(async () => {
    desk = test.newDesk();
    const policy = policyOf();
    const access = { ...policy.access, owners: [brandAs<UserId>("ann")], groups: "allowlist" } as const;
    gate = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
    await says("/sethome");
  });

  const says = (text: string, facts: EventFacts = {}) =>
    gate(desk.message({ from: "ann", name: "ann", conversation: "p-ann", text, ...facts }));
  const last = async () => (await desk.notices("p-ann")).at(-1);
  const standing = async () =>
    (await test.store.pairing.list()).find(({ accountId }) => accountId === desk.accountId)?.state;
  const group = async () => (await test.store.groups.list()).find(({ accountId }) => accountId === desk.accountId);

  /** The newest question of ours stands in the owner's conversation as message `q`. */
  async function shown(): Promise<void> {
    const lease = await test.store.accounts.acquire(
      brandAs<AccountId>(desk.accountId),
      "loopback",
      brandAs<ProcessId>("gateway"),
      60_000,
    );
    const question = (await desk.outbox("p-ann")).findLast(({ choices }) => choices !== undefined);
    assert.ok(lease && question);
    const part = { markdown: question.markdown, attachments: [], state: "sent", attempts: 1, unknown: 0 } as const;
    const parts = [{ ...part, messageId: brandAs<MessageId>("q") }];
    await test.store.outbox.update(lease, { id: question.id, state: "sent", parts });
  }

  async function askedAboutZoe(): Promise<void> {
    await gate(desk.message({ from: "889", name: "Zoe", conversation: "p-889", text: "hi" }));
    await shown();
  }

  for (const [words, state] of [
    ["yes", "approved"],
    ["Yes, let them in.", "approved"],
    ["let in", "approved"],
    ["approve", "approved"],
    ["1", "approved"],
    ["Let in\n\nBest regards, ann", "approved"],
    ["no", "ignored"],
    ["Ignore!", "ignored"],
    ["block", "blocked"],
    ["3", "blocked"],
  ] as const)
    it(`decides by ${JSON.stringify(words)}, as by the button`, async () => {
      await askedAboutZoe();
      assert.equal(await says(words, { replyTo: "q" }), "recorded");
      assert.equal(await standing(), state);
      assert.deepEqual(await desk.waiting("p-ann"), [], "the agent reads none of it");
    });

  for (const words of ["yes, but not today", "no idea who that is", "ja", "yess"])
    it(`says after ${JSON.stringify(words)} that nothing is decided, and how to`, async () => {
      await askedAboutZoe();
      await says(words, { replyTo: "q" });
      assert.equal(
        await last(),
        "Nothing is decided yet. To decide, press a button, or reply with one of these words: `Let in`, `Ignore`, `Block`.",
      );
      assert.deepEqual([await standing(), await desk.waiting("p-ann")], ["waiting", [words]]);
    });

  it("decides nothing by words that answer nothing, or another message", async () => {
    await askedAboutZoe();
    await says("yes");
    await says("Let in", { replyTo: "other" });
    assert.equal(await standing(), "waiting");
  });

  it("decides in a thread below the question only by what means nothing else", async () => {
    await askedAboutZoe();
    await says("yes", { thread: "q" });
    assert.equal(await standing(), "waiting");
    await says("Let in", { thread: "q" });
    assert.equal(await standing(), "approved");
  });

  it("leaves a long answer, and one to what is decided, to the agent alone", async () => {
    await askedAboutZoe();
    const before = (await last()) ?? "";
    for (const words of ["Z".repeat(121), "who is that?"]) await says(words, { replyTo: "q" });
    assert.equal(await last(), before);
    await says("yes", { replyTo: "q" });
    const decided = await last();
    await says("thanks", { replyTo: "q" });
    assert.equal(await last(), decided);
  });

  it("changes nothing once somebody has decided", async () => {
    await askedAboutZoe();
    await says("yes", { replyTo: "q" });
    await says("block", { replyTo: "q" });
    assert.equal(await last(), "Nothing was done: `ann` has let “`Zoe`” (Loopback, `889`) in.");
    assert.equal(await standing(), "approved");
  });

  for (const [words, decision] of [
    ["yes", "allowed"],
    ["let this group in", "allowed"],
    ["no", "ignored"],
  ] as const)
    it(`decides about a group by ${JSON.stringify(words)}`, async () => {
      await says("hello", { from: "mia", conversation: "g1", kind: "group", mentionsSelf: true });
      await shown();
      await says(words, { replyTo: "q" });
      assert.equal((await group())?.decision, decision);
    });

  it("takes them from no owner of former times", async () => {
    await askedAboutZoe();
    const former = desk.gateWith({ policyOf: () => policyOf() });
    await former(desk.message({ from: "ann", conversation: "p-ann", text: "yes", replyTo: "q" }));
    assert.equal(await standing(), "waiting");
  });
});
