import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { addLanguage } from "@talaria/words";
import { type Desk, openGroups, policyOf, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const words = {
  notices: { nothingToStop: "pagh", needsProof: (command: string) => `ngoDlu' ${command}` },
  peopleNotices: {
    asked: (code: string) => `jItlhob ${code}`,
    wantsToTalk: () => "jatlh neH",
    buttons: { add: "yIchaw'" },
    welcome: { all: "bI'el" },
    answering: { all: "jIjang" },
  },
};

describe("what people read at the gate", () => {
  const test = useStore();
  const boss = brandAs<UserId>("boss");
  let desk: Desk;
  let gate: Gate;
  addLanguage("tlh", words);

  beforeEach(() => {
    desk = test.newDesk();
    const policy = policyOf();
    gate = desk.gateWith({ policyOf: () => ({ ...policy, access: { ...policy.access, owners: [boss] } }) });
  });

  const says = (from: string, text: string, language: string) =>
    gate(desk.message({ from, name: from, conversation: `p-${from}`, text, language }));

  it("is in the language of whoever is alone with the agent, and what that lacks in English", async () => {
    await says("boss", "/stop", "tlh-Latn");
    await says("boss", "/approvals", "tlh-Latn");
    await says("boss", "/stop", "sv");
    assert.deepEqual(await desk.notices("p-boss"), [
      "pagh",
      "Nothing here waits for your approval.",
      "There is nothing to stop.",
    ]);
  });

  it("is English in a group, whoever gives the command", async () => {
    gate = desk.gateWith({ policyOf: () => openGroups() });
    const facts = { kind: "group", conversation: "g1", text: "/stop", mentionsSelf: true } as const;
    await gate(desk.message({ ...facts, from: "u1", language: "tlh" }));
    assert.deepEqual(await desk.notices("g1"), ["There is nothing to stop."]);
  });

  it("is each one's own where somebody asks to be let in and somebody else decides", async () => {
    await says("boss", "hello", "tlh");
    await says("u7", "hello", "de");
    const [asked] = await desk.outbox("p-boss");
    assert.equal(asked?.markdown, "jatlh neH");
    assert.deepEqual(
      asked?.choices?.map(({ label }) => label),
      ["yIchaw'", "Ignore", "Block"],
    );
    assert.match((await desk.notices("p-u7"))[0] ?? "", /^Hi! I only talk to people my owner has let in\./);
    await says("u8", "hello", "tlh");
    assert.match((await desk.notices("p-u8"))[0] ?? "", /^jItlhob /);
    const rows = (await test.store.pairing.list()).filter(({ accountId }) => accountId === desk.accountId);
    for (const { id } of rows) await says("boss", `/people add ${id.slice(0, 8)}`, "tlh");
    assert.equal((await desk.notices("p-u7")).at(-1), "You're in. I'm answering what you wrote.");
    assert.equal((await desk.notices("p-u8")).at(-1), "jIjang");
  });
});
