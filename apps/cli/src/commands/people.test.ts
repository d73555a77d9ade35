import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type AccountId, brandAs, type UserId } from "@talaria/protocol";
import pg from "pg";
import { askAccess } from "../../../../packages/store/src/test-people.ts";
import { createTestStore, entryOf, type TestStore } from "../../../../packages/store/src/test-store.ts";
import type { KnownPerson } from "./everybody.ts";
import { decideAbout, decideAll } from "./people.ts";

describe("what an operator decides about people", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  const listed: KnownPerson = {
    ...{
      role: "owner",
      state: "listed",
      accountId: brandAs("main"),
      userId: brandAs<UserId>("42"),
      displayName: "Ada",
    },
    handle: "main/42",
    from: { key: "owners", line: 3 },
  };
  const accounts = {
    closed: { platform: "telegram", access: { direct: "allowlist" } },
    main: { platform: "telegram", access: { direct: "pairing" } },
  };
  const loaded = { home: { configFile: "/c.yaml" }, config: { accounts } } as unknown as Parameters<
    typeof decideAbout
  >[4];
  const decide = (verb: Parameters<typeof decideAbout>[1], who: string) =>
    decideAbout(test.store.pairing, verb, who, async () => [listed], loaded);
  const state = async (id: string) => (await test.store.pairing.list()).find(({ userId }) => userId === id)?.state;

  it("is done by a code, a number, an id or its beginning, and by a name where that lets nobody in", async () => {
    const asked = await askAccess(test.store.pairing, { account: "main", id: "1", name: "Zoë" });
    assert.ok(asked.outcome === "code");
    await assert.rejects(decide("add", "Zoe"), /a name isn't enough to let somebody in/);
    await decide("add", asked.code.toLowerCase());
    assert.equal(await state("1"), "approved");
    await decide("remove", "zoe ");
    assert.equal(await state("1"), "removed");
    await decide("add", asked.id.slice(0, 8));
    await decide("block", "1");
    assert.equal(await state("1"), "blocked");
    await assert.rejects(decide("block", "1"), /nothing was done: "Zoë" \(1\) on main is blocked already/);
    await decide("remove", asked.id);
    assert.equal(await state("1"), undefined);
  });

  for (const who of ["42", "main/42", "telegram:user:42", "ADA"])
    it(`is left to the file for ${who}, with key and line`, () =>
      assert.rejects(
        decide("remove", who),
        /^Error: nothing was done: "Ada" \(42\) on main is in owners, line 3 of \/c\.yaml: only that file can take it back$/,
      ));

  it("lets somebody in by the id on an account who has not asked, and by nothing else", async () => {
    const { row } = await decide("add", "main/10049");
    assert.deepEqual([row.userId, row.accountId, await state("10049")], ["10049", "main", "approved"]);
    for (const who of ["main/10049", "10049", "telegram:user:10049", row.id.slice(0, 8)])
      await assert.rejects(decide("add", who), /: 10049 on main is let in already/, who);
    await assert.rejects(decide("add", "main/Friend"), /"Friend" is not the id of a person on telegram/);
    await assert.rejects(decide("add", "main/42"), /"Ada" \(42\) on main is in owners, line 3/);
    await assert.rejects(decide("add", "closed/10049"), /accounts\.closed\.access\.direct is allowlist/);
    await assert.rejects(decide("add", "elsewhere/10049"), /nobody in `talaria people`/);
    await assert.rejects(decide("add", "10050"), /nobody in `talaria people`/);
    await decide("remove", "main/10049");
    assert.equal(await state("10049"), "removed");
  });

  it("is about whose the id is, however strangers call themselves", async () => {
    await askAccess(test.store.pairing, { account: "main", id: "2004", name: "42" });
    await askAccess(test.store.pairing, { account: "main", id: "2005", name: "main/42" });
    for (const who of ["42", "main/42", "telegram:user:42"])
      for (const verb of ["ignore", "block", "remove"] as const)
        await assert.rejects(
          decide(verb, who),
          /"Ada" \(42\) on main is in owners, line 3 .*: only that file can take it back/,
        );
    assert.deepEqual([await state("2004"), await state("2005")], ["waiting", "waiting"]);
    for (const id of ["2004", "2005"]) await decide("remove", id);
  });

  it("blocks by the id whoever has written anywhere, and by account and id anybody", async () => {
    const { event } = entryOf("m-nuisance", "nuisance");
    const { accountId, conversationId } = event.conversation;
    const sender = { ...event.sender, userId: brandAs<UserId>("5005"), displayName: "Nuisance" };
    const refused = {
      ...event,
      sender,
      conversation: { ...event.conversation, accountId: brandAs<AccountId>("main") },
    };
    assert.ok(accountId !== "main" && conversationId);
    await test.store.inbox.settle({ event: refused, outcome: "refused", reason: "not_addressed" });
    const { row } = await decide("block", "5005");
    assert.deepEqual([row.accountId, row.userId, await state("5005")], ["main", "5005", "blocked"]);
    await decide("block", "main/5006");
    assert.equal(await state("5006"), "blocked");
    await assert.rejects(decide("block", "5007"), /nobody in `talaria people`/);
    for (const id of ["5005", "5006"]) await decide("remove", `main/${id}`);
  });

  it("is nothing about somebody in the configuration, who may have asked before", async () => {
    await askAccess(test.store.pairing, { account: "main", id: "42" });
    for (const verb of ["add", "ignore", "block"] as const)
      await assert.rejects(decide(verb, "main/42"), /"Ada" \(42\) on main is in owners, line 3/);
    assert.equal(await decideAll(test.store.pairing, "block", [listed]), "nobody waits");
    assert.equal(await state("42"), "waiting");
    await decide("remove", "main/42");
    assert.equal(await state("42"), undefined);
  });

  it("is said once about somebody who is removed, and changes nothing a second time", async () => {
    await decide("add", "main/10060");
    await decide("remove", "10060");
    await assert.rejects(decide("remove", "10060"), /nothing was done: 10060 on main is removed already/);
    assert.equal(await state("10060"), "removed");
  });

  it("says whose a code was that has ended, and the number that counts now", async () => {
    const asked = await askAccess(test.store.pairing, { account: "main", id: "61", name: "Zoe" });
    assert.ok(asked.outcome === "code");
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query("update talaria.pairing set expires_at = clock_timestamp() where user_id = '61'");
    await client.end();
    const number = asked.id.slice(0, 8);
    await assert.rejects(decide("add", asked.code), {
      message: `nothing was done: this code has ended, since codes hold for 10 minutes. It was that of "Zoe" (61) on main, who still waits: \`talaria people add ${number}\``,
    });
    await decide("add", number);
    await assert.rejects(decide("add", asked.code), {
      message: 'nothing was done: this code has ended. It was that of "Zoe" (61) on main, who is let in already',
    });
    await assert.rejects(decide("add", "4VAH-JSFF"), /nobody in `talaria people`/);
  });

  it("is done about all who wait, and about nobody else", async () => {
    for (const id of ["71", "72"]) await askAccess(test.store.pairing, { account: "main", id });
    await decide("block", "71");
    assert.match(await decideAll(test.store.pairing, "ignore", []), /^ignored for a day: 1 person$/);
    assert.deepEqual([await state("71"), await state("72")], ["blocked", "ignored"]);
    assert.equal(await decideAll(test.store.pairing, "block", []), "nobody waits");
  });

  it("lets nobody in where only the configuration does", async () => {
    await askAccess(test.store.pairing, { account: "closed", id: "3" });
    await assert.rejects(decide("add", "3"), /accounts\.closed\.access\.direct is allowlist/);
    assert.equal(await state("3"), "waiting");
  });

  it("is told to whoever is slower", async () => {
    await askAccess(test.store.pairing, { account: "main", id: "2" });
    const answers = await Promise.allSettled([decide("ignore", "2"), decide("ignore", "2")]);
    const [refused, ...others] = answers.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    assert.deepEqual(others, []);
    assert.match(refused ?? "", /nothing was done: .*(?:just now|ignored already)/);
  });
});
