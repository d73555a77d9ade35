import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type TurnId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, off, openGroups, useStore } from "./gate.fixture.ts";

describe("/where and /cost", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const asks = async (text: string, facts: EventFacts = {}, gate = desk.gate) => {
    await gate(desk.message({ text, ...facts }));
    return (await desk.notices(facts.conversation ?? "c1")).at(-1) ?? "";
  };

  it("says of the last message whether it waits, is worked on, or was answered", async () => {
    assert.equal(await asks("/where"), "You have written nothing to me here yet, or that was too long ago.");
    await desk.runTurn("a question", { messageId: "m-1" });
    assert.match(await asks("/where"), /^I have been working on it for \d+ seconds?\.$/);
    await desk.gate(desk.message({ text: "and this", messageId: "m-2" }));
    await desk.gate(desk.message({ text: "and that", messageId: "m-3" }));
    assert.match(
      await asks("/where"),
      /^It has been waiting for \d+ seconds?: I'm still busy with what came before it\. Before it: 1 message\.$/,
    );
    assert.match(await asks("/where", { replyTo: "m-1" }), /^I have been working on it/, "as a reply, that message");
    assert.match(await asks("/where", { replyTo: "m-2" }), /came before it\.$/);
    await desk.endTurn();
    assert.match(await asks("/where", { replyTo: "m-1" }), /^It was answered \d+ seconds? ago\.$/);
    await desk.gate(desk.message({ text: "/stop" }));
    assert.match(await asks("/where"), /^It was set aside before I began/);
  });

  it("says that a limit was reached where that is why there is no answer", async () => {
    await desk.runTurn("a question", { messageId: "m-1" });
    await desk.gate(desk.message({ text: "too much", messageId: "m-2" }));
    await test.store.turns.drop(desk.lease, [{ seq: desk.firstSeq + 1, reason: "spending_limit" }], []);
    assert.match(
      await asks("/where", { replyTo: "m-2" }),
      /^It came while a limit was reached.*If an owner lifts the limit earlier/,
    );
    const end = { turnId: brandAs<TurnId>(`turn-${desk.lease.sessionKey}`), entries: [], outbox: [] };
    await test.store.turns.commit(desk.lease, { ...end, outcome: "aborted", reason: "spending_limit" });
    assert.match(
      await asks("/where", { replyTo: "m-1" }),
      /^I stopped working on it \d+ seconds? ago, because a limit/,
    );
  });

  it("knows a message of ours by what it answered, and nothing of other conversations", async () => {
    await desk.runTurn("a question", { messageId: "m-1" });
    await desk.sent("so far", "ours-1", desk.message().conversation, true);
    assert.match(await asks("/where", { replyTo: "ours-1" }), /^I have been working on it/);
    await desk.gate(desk.message({ text: "elsewhere", conversation: "c2", messageId: "m-9" }));
    for (const replyTo of ["m-1", "ours-1", "m-9 ' or true"])
      assert.equal(
        await asks("/where", { conversation: "c2", replyTo }),
        "I have no answer to that message: it was not for me, or it was too long ago.",
      );
  });

  it("means one's own message in a group, and anybody's as a reply", async () => {
    const gate = desk.gateWith({ policyOf: openGroups });
    const team = { kind: "group", conversation: "team", mentionsSelf: true } as const;
    await desk.runTurn("of ada", { ...team, from: "ada", messageId: "m-ada" }, gate);
    assert.equal(
      await asks("/where", { ...team, from: "bob" }, gate),
      "You have written nothing to me here yet, or that was too long ago.",
    );
    assert.match(await asks("/where", { ...team, from: "carl", replyTo: "m-ada" }, gate), /^I have been working on it/);
  });

  it("says what an answer has cost, and that it grows while the turn runs", async () => {
    const spending = { person: off, guest: off, conversation: off, account: off, currency: "EUR" };
    const gate = desk.gateWith({ spending });
    assert.equal(await asks("/cost", {}, gate), "I haven't answered anything there that could have cost money.");
    await desk.runTurn("a question", { messageId: "m-1" });
    const tokens = {
      inputTokens: 12_000,
      cachedTokens: 9_000,
      cacheWriteTokens: 0,
      outputTokens: 300,
      reasoningTokens: 0,
    };
    const usage = { ...tokens, model: "main", provider: "some", cost: 40_000 };
    const turnId = brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
    await test.store.turns.append(desk.lease, turnId, [{ kind: "assistant", usage }]);
    const used = "1 request to models, 12,000 tokens read (75 % from the provider's cache), 300 written";
    assert.equal(await asks("/cost", {}, gate), `That answer so far: ${used}. Cost: 0.04 EUR.`);
    await desk.endTurn();
    assert.equal(await asks("/cost", { replyTo: "m-1" }, gate), `That answer: ${used}. Cost: 0.04 EUR.`);
  });
});
