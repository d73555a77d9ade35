import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type AccountId, brandAs, type DeliveryKey, type UserId } from "@talaria/protocol";
import pg from "pg";
import type { PersonDecision, Standing } from "../ports/standing.ts";
import { askAccess, letIn, pair, welcomes } from "../test-people.ts";
import { createTestStore, entryOf, eventOf, keyOf, limits, newWorker, type TestStore } from "../test-store.ts";

describe("who asks to talk to the agent, and what is decided about them", () => {
  let test: TestStore;
  let client: pg.Client;
  let account: string;
  let tests = 0;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    tests += 1;
    account = `door-${tests}`;
  });

  const { sender: owner } = { ...eventOf("owner", "x") };
  const ask = (id: string, more: Partial<Parameters<typeof askAccess>[1]> = {}) =>
    askAccess(test.store.pairing, { account, id, canAsk: true, ...more });
  const decide = async (
    id: string,
    to: PersonDecision["to"],
    from: readonly Standing[] = ["waiting"],
    by = { ...owner, displayName: "Ann" },
  ) => test.store.pairing.decide({ id, from, to, by, ...welcomes });
  const standing = async (id: string) =>
    (await test.store.pairing.list()).find((row) => row.userId === id && row.accountId === account);
  const passes = (interval: string) =>
    client.query(
      `update talaria.pairing set created_at = created_at - $1::interval, decided_at = decided_at - $1::interval,
              expires_at = expires_at - $1::interval
        where account_id = $2`,
      [interval, account],
    );
  const texts = async () =>
    (
      await client.query<{ body: { markdown: string; kind: string; closes?: string }; delivery_key: string }>(
        "select body, delivery_key from talaria.outbox where account_id = $1 order by id",
        [account],
      )
    ).rows;

  it("has owners asked about five, told once about those who follow, and asked again once somebody decides", async () => {
    const asks: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const asked = await ask(`s${n}`);
      asks.push(asked.outcome === "code" ? `${asked.asks} ${asked.waiting}` : asked.outcome);
    }
    assert.deepEqual(asks, ["each 1", "each 2", "each 3", "each 4", "each 5", "together 6", "later 7", "later 8"]);
    await passes("61 minutes");
    const next = await ask("s8");
    assert.ok(next.outcome === "code" && next.asks === "together");
    await decide((await standing("s0"))?.id ?? "", "ignored");
    const after = await ask("s9");
    assert.ok(after.outcome === "code" && after.asks === "each");
    const alone = await ask("s10", { canAsk: false });
    assert.ok(alone.outcome === "code" && alone.asks === "nobody");
  });

  it("tells who waits so once, also when the process dies before it does", async () => {
    await ask("ada");
    const event = eventOf("again", "x");
    const again = { eventId: event.id };
    const settled = { ...event, conversation: { ...event.conversation, accountId: brandAs<AccountId>(account) } };
    assert.deepEqual(await ask("ada", again), { outcome: "waiting", tells: true });
    assert.deepEqual(await ask("ada", again), { outcome: "waiting", tells: true }, "nothing was told yet");
    await test.store.inbox.settle({ event: settled, outcome: "refused", reason: "pairing_waiting" });
    assert.deepEqual(await ask("ada", again), { outcome: "waiting" });
    assert.deepEqual(await ask("ada"), { outcome: "waiting" });
  });

  it("lets the first of several decide", async () => {
    await ask("ada");
    const { id = "" } = (await standing("ada")) ?? {};
    const answers = await Promise.all([
      decide(id, "approved"),
      decide(id, "blocked", ["waiting"], { ...owner, displayName: "Bob" }),
      decide(id, "ignored"),
    ]);
    assert.equal(answers.filter((answer) => answer !== undefined).length, 1);
    const row = await standing("ada");
    const first = (["approved", "blocked", "ignored"] as const)[answers.findIndex((answer) => answer !== undefined)];
    assert.deepEqual([row?.state, row?.decidedBy], [first, first === "blocked" ? "Bob" : "Ann"]);
  });

  it("asks about whom they ignored again after a day, and about whom they blocked never", async () => {
    for (const [id, to] of [
      ["ada", "ignored"],
      ["eve", "blocked"],
    ] as const) {
      await ask(id);
      await decide((await standing(id))?.id ?? "", to);
      assert.deepEqual(await ask(id), { outcome: to });
    }
    await passes("23 hours");
    assert.deepEqual(await ask("ada"), { outcome: "ignored" });
    await passes("2 hours");
    assert.equal((await ask("ada")).outcome, "code");
    await passes("9 years");
    await test.store.operations.prune(1, new AbortController().signal);
    assert.deepEqual(await ask("eve"), { outcome: "blocked" });
    await decide((await standing("eve"))?.id ?? "", "forgotten", ["blocked"]);
    assert.equal((await ask("eve")).outcome, "code");
  });

  it("tells whom somebody removed so, once, and lets them ask no more", async () => {
    const { id } = await pair(test.store.pairing, { account, id: "ada" });
    assert.ok(await decide(id, "removed", ["approved"]));
    assert.equal(await test.store.pairing.isApproved(brandAs<AccountId>(account), brandAs<UserId>("ada")), false);
    assert.deepEqual(await ask("ada"), { outcome: "removed", tells: true });
    assert.deepEqual(await ask("ada"), { outcome: "removed" });
    await passes("9 years");
    assert.deepEqual(await ask("ada"), { outcome: "removed" });
    assert.ok(await decide(id, "approved", ["removed"]));
    assert.equal(await test.store.pairing.isApproved(brandAs<AccountId>(account), brandAs<UserId>("ada")), true);
  });

  it("writes the welcome with the decision, and records what was said first", async () => {
    const said = entryOf("may I ask?", "with ada");
    const own = { ...said.event.conversation, accountId: brandAs<AccountId>(account) };
    const entry = { ...said, event: { ...said.event, conversation: own }, route: own };
    await ask("ada", { conversation: own });
    await ask("ada", { said: entry, conversation: own });
    await ask("ada", { said: { ...entry, sessionKey: keyOf("later words") }, conversation: own });
    const { id = "" } = (await standing("ada")) ?? {};
    assert.deepEqual(await decide(id, "approved"), { sessionKey: said.sessionKey });
    assert.deepEqual(
      (await texts()).map(({ body }) => [body.kind, body.markdown]),
      [["notice", welcomes.answering.all]],
    );
    const claim = await test.store.turns.claim(keyOf("with ada"), await newWorker(test.store), limits);
    assert.deepEqual(
      claim?.pending.map(({ event, role }) => [event.id, role]),
      [[`${said.event.id}~let-in`, said.role]],
    );
    await decide(id, "removed", ["approved"]);
    assert.deepEqual(await decide(id, "approved", ["removed"]), {}, "words are answered once");
    assert.equal((await texts()).at(-1)?.body.markdown, welcomes.welcome.all);
  });

  it("records eight messages in their order, each once, and says what it has not kept", async () => {
    const own = { ...eventOf("q", "with max").conversation, accountId: brandAs<AccountId>(account) };
    const says = (text: string, more: Parameters<typeof ask>[1] = {}) => {
      const said = entryOf(text, "with max");
      const entry = { ...said, event: { ...said.event, conversation: own }, route: own };
      return ask("max", { conversation: own, eventId: said.event.id, said: entry, ...more });
    };
    const words = Array.from({ length: 8 }, (_, index) => `word ${index}`);
    for (const word of words) await says(word, word === "word 3" ? { unkept: "files" } : {});
    await says("word 7");
    const { id = "" } = (await standing("max")) ?? {};
    const unkept = async () =>
      (await client.query("select unkept from talaria.pairing where id = $1", [id])).rows[0].unkept;
    assert.equal(await unkept(), "files");
    await says("word 8");
    await ask("max", { unkept: "files" });
    assert.equal(await unkept(), "words");
    await decide(id, "approved");
    assert.equal((await texts()).at(-1)?.body.markdown, welcomes.answering.words);
    const claim = await test.store.turns.claim(keyOf("with max"), await newWorker(test.store), limits);
    assert.deepEqual(
      claim?.pending.map(({ event }) => event.type === "message.created" && event.message.markdown),
      words,
    );
  });

  it("answers no words that are older than a day", async () => {
    const said = entryOf("old words", "with old");
    await ask("ada", { said });
    await passes("25 hours");
    const [row] = (await client.query("select id from talaria.pairing where account_id = $1", [account])).rows;
    assert.deepEqual(await decide(row.id, "approved"), {});
  });

  it("closes the messages that ask, each time it is decided, and once a day has passed", async () => {
    const home = eventOf("q", "home").conversation.conversationId;
    const asked = async (id: string) => {
      const answer = await ask(id);
      assert.ok(answer.outcome === "code");
      const conversation = { ...eventOf("q", "home").conversation, accountId: brandAs<AccountId>(account) };
      const deliveryKey = brandAs<DeliveryKey>(`person:${answer.id}:home`);
      const choices = [{ id: `add-${answer.id.slice(0, 8)}`, label: "Let in" }];
      await test.store.outbox.add([
        { deliveryKey, kind: "notice", conversation, markdown: "?", attachments: [], choices },
      ]);
      return answer.id;
    };
    const closed = async () =>
      (await texts()).filter(({ body }) => body.kind === "closing").map(({ body }) => body.closes);
    const outcomeOf = async (id: string) => {
      const { lines } = await test.store.chats.history(
        { accountId: brandAs<AccountId>(account), conversationId: home },
        20,
      );
      return lines.find((line) => line.id === `person:${id}:home`)?.outcomes?.[0];
    };
    const ada = await asked("ada");
    assert.deepEqual(await outcomeOf(ada), { id: ada.slice(0, 8) });
    await decide(ada, "blocked");
    assert.deepEqual(await closed(), [`person:${ada}:home`]);
    const settled = { id: ada.slice(0, 8), settlement: "denied", by: "Ann", person: "blocked" };
    assert.deepEqual(await outcomeOf(ada), settled);
    await decide(ada, "approved", ["blocked"]);
    assert.deepEqual(await closed(), [`person:${ada}:home`, `person:${ada}:home`]);
    assert.equal((await outcomeOf(ada))?.person, "approved");
    const eve = await asked("eve");
    await passes("25 hours");
    await ask("bob");
    assert.deepEqual((await closed()).slice(2), [`person:${eve}:home`]);
    assert.deepEqual(await outcomeOf(eve), { id: eve.slice(0, 8), settlement: "expired" });
  });

  it("reads rows of earlier releases: a request has no place for a welcome, and is decided all the same", async () => {
    await client.query(
      `insert into talaria.pairing (id, account_id, user_id, display_name, state, asked_by)
       values ('0000aaaa-old', $1, 'old', 'Old', 'waiting', 'e'), ('0000bbbb-old', $1, 'older', 'Older', 'approved', 'e')`,
      [account],
    );
    assert.equal((await letIn(test.store.pairing, "0000aaaa-old"))?.state, "approved");
    assert.deepEqual(await texts(), []);
    assert.ok(await decide("0000bbbb-old", "removed", ["approved"]));
  });

  it("knows who has written lately, and when", async () => {
    await test.store.inbox.record(entryOf("hello", "seen"));
    const [seen] = await test.store.pairing.seen();
    const { sender, conversation } = eventOf("x", "seen");
    assert.deepEqual(
      [seen?.accountId, seen?.userId, seen?.displayName],
      [conversation.accountId, sender.userId, sender.displayName],
    );
  });
});
