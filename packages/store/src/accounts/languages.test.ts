import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { pair } from "../test-people.ts";
import { accountId, conversationOf, createTestStore, eventOf, type TestStore } from "../test-store.ts";

const user = (id: string) => brandAs<UserId>(id);

describe("the language of people in the store", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  async function asks(id: string, language?: string) {
    const { pairing } = test.store;
    const event = `${id}-${language}`;
    const person = { id: user(id), displayName: id, ...(language === undefined ? {} : { language }) };
    const conversation = conversationOf(`with ${id}`);
    return pairing.request({ accountId, person, eventId: brandAs(event), conversation, canAsk: false });
  }
  const rowOf = async (id: string) => (await test.store.pairing.list()).find(({ userId }) => userId === id);

  it("is kept with the name of who asks for access, and is theirs when they are let in", async () => {
    const asked = await asks("waits", "de");
    assert.equal((await rowOf("waits"))?.language, "de");
    await asks("waits", "pt-BR");
    await asks("waits");
    assert.ok(asked.outcome === "code");
    assert.equal((await test.store.pairing.find(asked.id))?.language, "pt-BR", "silence is no change");
    assert.equal(await test.store.pairing.languageOf(accountId, user("waits")), "pt-BR");
  });

  it("is not known of who has not told it, and of who is in no table", async () => {
    await asks("silent");
    const row = await rowOf("silent");
    assert.ok(row !== undefined && !("language" in row));
    await test.store.pairing.noteLanguage(accountId, user("nobody"), "fr");
    assert.equal(await test.store.pairing.languageOf(accountId, user("nobody")), undefined);
  });

  it("follows whoever was let in, on their account alone", async () => {
    const { pairing } = test.store;
    await pair(pairing, { account: accountId, id: "moves" });
    await pair(pairing, { account: "other", id: "moves" });
    await pairing.noteLanguage(accountId, user("moves"), "it");
    await pairing.noteLanguage(accountId, user("moves"), "it-CH");
    assert.equal(await pairing.languageOf(accountId, user("moves")), "it-CH");
    assert.equal(await pairing.languageOf(brandAs("other"), user("moves")), undefined);
  });

  it("is where owners are asked, told and noted, also where they have named a home", async () => {
    const { calls, pairing, inbox } = test.store;
    const [userId, conversation] = [user("boss"), conversationOf("boss")];
    const languages = async () => [
      ...(await calls.notedPlaces()).map(({ language }) => language),
      ...(await calls.ownersPlaces()).map(({ language }) => language),
      ...(await calls.homes()).map(({ language }) => language),
    ];
    await calls.noteOwnerPlace({ userId, conversation, language: "sv-SE" });
    assert.deepEqual(await languages(), ["sv-SE", "sv-SE"]);
    await calls.noteOwnerPlace({ userId, conversation });
    await pairing.noteLanguage(accountId, userId, "nb");
    const event = eventOf("sethome", "boss");
    await inbox.settle({
      event,
      outcome: "command",
      reason: "sethome",
      effect: { kind: "home", sessionKey: brandAs("boss"), userId, conversation },
    });
    assert.deepEqual(await languages(), ["nb", "nb", "nb"]);
    assert.equal(await pairing.languageOf(accountId, userId), "nb");
  });
});
