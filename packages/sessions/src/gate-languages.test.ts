import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type AccountId, brandAs, type UserId } from "@talaria/protocol";
import { type Desk, policyOf, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("the language of people at the gate", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let written: string[];
  const boss = brandAs<UserId>("boss");

  beforeEach(() => {
    desk = test.newDesk();
    written = [];
    const { pairing } = test.store;
    const policy = policyOf();
    gate = desk.gateWith({
      policyOf: () => ({ ...policy, access: { ...policy.access, owners: [boss] } }),
      pairing: {
        ...pairing,
        async noteLanguage(accountId: AccountId, userId: UserId, language: string) {
          written.push(`${userId} ${language}`);
          await pairing.noteLanguage(accountId, userId, language);
        },
      },
    });
  });

  function says(from: string, text: string, language?: string, assurance: "platform" | "claimed" = "platform") {
    const event = desk.message({ from, name: from, conversation: `p-${from}`, text });
    return gate({ ...event, sender: { ...event.sender, assurance, ...(language === undefined ? {} : { language }) } });
  }
  const known = (id: string) => test.store.pairing.languageOf(desk.accountId, brandAs<UserId>(id));

  it("is known of a stranger from their first message, and of whoever was let in from each in another one", async () => {
    await says("u7", "hello", "de");
    assert.equal(await known("u7"), "de");
    assert.deepEqual(written, [], "a request for access brings it");
    const [row] = (await test.store.pairing.list()).filter(({ accountId }) => accountId === desk.accountId);
    await says("boss", `/people add ${row?.id.slice(0, 8)}`);
    for (const language of ["de", "de", "fr", undefined, "fr"])
      assert.equal(await says("u7", "hm", language), "recorded");
    assert.equal(await known("u7"), "fr");
    assert.deepEqual(written, ["u7 de", "u7 fr"], "written only when it has changed");
  });

  it("is where an owner is told, also when they change it later", async () => {
    const place = async () =>
      (await test.store.calls.notedPlaces()).find(({ conversation }) => conversation.accountId === desk.accountId);
    await says("boss", "hello", "sv-SE");
    assert.equal((await place())?.language, "sv-SE");
    await says("boss", "hello", "nb");
    assert.equal((await place())?.language, "nb");
  });

  it("is taken from nobody whose id only a message claims", async () => {
    await says("boss", "hello", "sv-SE");
    await says("boss", "hello", "xx", "claimed");
    assert.equal(await known("boss"), "sv-SE");
  });
});
