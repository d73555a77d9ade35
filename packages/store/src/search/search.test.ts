import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { brandAs, type Instant, type UserId } from "@talaria/protocol";
import type { SessionEffect } from "../ports/inbox.ts";
import { entryOf, eventOf, keyOf, never, textOf } from "../test-store.ts";
import { useTalks } from "./talks.fixture.ts";

describe("a search of past conversations", () => {
  const talks = useTalks();
  const { talk, read, asking, find, wordsOf, eventIn, sql } = talks;
  const settle = async (session: string, effect: object) => {
    const event = eventOf(`command-${randomUUID()}`, session);
    const whole = { ...effect, sessionKey: keyOf(session) } as unknown as SessionEffect;
    return await talks.test.store.inbox.settle({ event, outcome: "command", reason: "command", effect: whole });
  };

  it("finds what people and the agent said, by other forms of the words, with what stands beside it", async () => {
    await talk({ conversation: "ada", says: "We painted the garage doors blue", answer: "Nice colour." });
    await talk({ conversation: "ada", says: "Good morning", answer: "The garden needs water." });
    await read();
    const { hits, sittings } = await find("which door did we paint?", asking({ conversation: "ada" }));
    const [first] = hits;
    assert.equal(first?.markdown, "We painted the garage doors blue");
    assert.deepEqual([first?.from, first?.displayName, first?.userId], ["person", "Name of ada", "ada"]);
    assert.deepEqual(
      first?.after.map(({ markdown }) => markdown),
      ["Nice colour.", "Good morning"],
    );
    assert.equal(sittings[0]?.conversationId, "ada");
    assert.equal((await wordsOf("watering gardens", asking({ conversation: "ada" })))[0], "The garden needs water.");
  });

  it("finds words of scripts without spaces, also one sign alone", async () => {
    await talk({ conversation: "yuki", says: "車の鍵は台所の引き出しにあります", answer: "わかりました" });
    await talk({ conversation: "yuki", says: "猫は庭にいる", answer: "かわいい" });
    await read();
    const yuki = asking({ conversation: "yuki" });
    assert.match((await wordsOf("鍵はどこですか", yuki))[0] ?? "", /台所/);
    assert.match((await wordsOf("猫", yuki))[0] ?? "", /庭/);
  });

  it("finds nothing of others: no direct conversation, and of groups the one that is asked in", async () => {
    const secret = "the zebra crossing";
    await talk({ conversation: "bob", says: `${secret} of bob` });
    await talk({ conversation: "bob-too", userId: "bob", says: `${secret} of bob elsewhere` });
    await talk({ conversation: "eve", says: `${secret} of eve` });
    await talk({ conversation: "team", kind: "group", userId: "bob", says: `${secret} in the team` });
    await talk({ conversation: "others", kind: "group", userId: "bob", says: `${secret} of others` });
    await read();
    const found = async (...asked: Parameters<typeof asking>) =>
      (await wordsOf("zebra", asking(...asked))).filter((words) => words.includes("zebra")).sort();
    assert.deepEqual(await found({ conversation: "bob" }), [`${secret} of bob`, `${secret} of bob elsewhere`]);
    assert.deepEqual(await found({ conversation: "eve" }), [`${secret} of eve`]);
    assert.deepEqual(await found({ conversation: "team", kind: "group", userId: "eve" }), [`${secret} in the team`]);
    assert.deepEqual(await found({ conversation: "bob", userId: "eve" }), [`${secret} of eve`]);
    assert.deepEqual(await found({ conversation: "nobody" }), []);
    const elsewhere = asking({ conversation: "bob" });
    const account = { ...elsewhere, conversation: { ...elsewhere.conversation, accountId: brandAs<never>("other") } };
    assert.deepEqual(await wordsOf("zebra", account), []);
  });

  it("shows nobody a direct conversation in which several have written", async () => {
    await talk({ conversation: "shared", says: "quokka one" });
    await read();
    assert.deepEqual((await wordsOf("quokka", asking({ conversation: "shared" })))[0], "quokka one");
    await talk({ conversation: "shared", userId: "somebody", says: "quokka two" });
    await read();
    for (const userId of ["shared", "somebody"])
      assert.deepEqual(await wordsOf("quokka", asking({ conversation: "shared", userId })), []);
  });

  it("keeps what was said when a group was a direct conversation out of the group, and the other way round", async () => {
    await talk({ conversation: "room", userId: "mia", says: "heron in private" });
    await talk({ conversation: "room", kind: "group", userId: "mia", says: "heron in public" });
    await read();
    const inGroup = await wordsOf("heron", asking({ conversation: "room", kind: "group", userId: "tom" }));
    assert.ok(inGroup.includes("heron in public") && !inGroup.includes("heron in private"));
    const alone = await wordsOf("heron", asking({ conversation: "mia", userId: "mia" }));
    assert.deepEqual(alone.includes("heron in public"), false);
  });

  it("shows in a group nothing that one person alone has read, and where threads may be private no other thread", async () => {
    const group = { conversation: "club", kind: "group", userId: "kim" } as const;
    await talk({ ...group, says: "osprey unseen", message: { unseen: true }, answer: "osprey answer" });
    await talk({ ...group, says: "question", answer: "osprey for kim", privateTo: "kim" });
    await talk({ ...group, says: "osprey in the open" });
    await talk({ ...group, thread: "t1", says: "osprey in thread one" });
    await read();
    const found = async (thread?: string, hasPrivateThreads = false) =>
      (await wordsOf("osprey", asking({ ...group, ...(thread && { thread }) }, { hasPrivateThreads })))
        .filter((words) => words.includes("osprey"))
        .sort();
    assert.deepEqual(await found(), ["osprey answer", "osprey in the open", "osprey in thread one"]);
    assert.deepEqual(await found(undefined, true), ["osprey answer", "osprey in the open"]);
    assert.deepEqual(await found("t1", true), ["osprey answer", "osprey in the open", "osprey in thread one"]);
    assert.deepEqual(await found("t2", true), ["osprey answer", "osprey in the open"]);
  });

  it("forgets at once what was taken back, also where the turns stay for another memory", async () => {
    const session = "undone";
    const first = await talk({ conversation: session, says: "pelican one", answer: "pelican answer one" });
    const second = await talk({ conversation: session, says: "pelican two", answer: "pelican answer two" });
    await read();
    const found = async () => (await wordsOf("pelican", asking({ conversation: session }))).sort();
    assert.equal((await found()).length, 4);
    await settle(session, { kind: "undo", turns: [second] });
    assert.deepEqual(await found(), ["pelican answer one", "pelican one"]);
    await settle(session, { kind: "branch", title: "Branch" });
    await settle(session, { kind: "undo", turns: [first] });
    assert.deepEqual(await found(), ["pelican answer one", "pelican one"], "the memory before the branch has it");
    await settle(session, { kind: "resume", number: 1 });
    await settle(session, { kind: "undo", turns: [first] });
    assert.deepEqual(await found(), []);
  });

  it("forgets at once what people delete or edit away, what was withdrawn, and a deleted conversation", async () => {
    const says = (words: string) => talk({ conversation: "gone", says: words, answer: `answer to ${words}` });
    await says("ibis deleted");
    const turn = await says("ibis withdrawn");
    await says("ibis edited");
    await read();
    const found = async () => (await wordsOf("ibis", asking({ conversation: "gone" }))).sort();
    assert.equal((await found()).length, 6);
    const messageOf = async (words: string) =>
      (
        await sql(`select body #>> '{message,messageId}' as id from inbox where body #>> '{message,markdown}' = $1`, [
          words,
        ])
      )[0].id;
    const record = async (event: ReturnType<typeof eventIn>) =>
      await talks.test.store.inbox.record({ ...entryOf(event.id, "gone"), event, route: event.conversation });
    const { message: _, ...bare } = eventIn({ conversation: "gone", says: "" }) as Extract<
      ReturnType<typeof eventIn>,
      { type: "message.created" }
    >;
    await record({ ...bare, type: "message.deleted", messageId: await messageOf("ibis deleted") });
    const edited = { messageId: await messageOf("ibis edited") };
    const change = eventIn({ conversation: "gone", says: "crane instead", message: edited });
    await record({ ...change, type: "message.edited" } as typeof change);
    await sql("update outbox set state = 'withdrawn' where turn_id = $1", [turn]);
    assert.deepEqual(await found(), [
      "answer to ibis deleted",
      "answer to ibis edited",
      "crane instead",
      "ibis withdrawn",
    ]);
    const { accountId, conversationId } = talks.placeOf({ conversation: "gone" });
    await talks.test.store.chats.forget(
      { accountId, conversationId, sessionKey: keyOf("gone"), why: "deleted" },
      never,
    );
    assert.deepEqual(await found(), []);
  });

  it("does not find the question that is being answered, nor notices of the gateway", async () => {
    const event = eventIn({ conversation: "now", says: "albatross question" });
    await talks.test.store.inbox.record({ ...entryOf(event.id, "now"), event, route: event.conversation });
    await talks.test.store.outbox.add([textOf("albatross-notice", "now", { markdown: "albatross notice" })]);
    await read();
    assert.deepEqual(await wordsOf("albatross", asking({ conversation: "now" })), []);
  });

  it("filters by who said it and when, and by phrases", async () => {
    const group = { conversation: "diary", kind: "group" } as const;
    await talk({ ...group, userId: "ann", says: "the lynx ran home", answer: "A lynx, how nice." });
    await talk({ ...group, userId: "ben", says: "the home of the lynx" });
    await read();
    await sql(
      "update chat_line set at = '2026-01-05' where line_id in (select event_id from inbox where body -> 'sender' ->> 'userId' = 'ben')",
    );
    const asker = asking({ ...group, userId: "ann" });
    assert.deepEqual(await wordsOf("lynx", asker, { from: "asker" }), ["the lynx ran home"]);
    assert.deepEqual(await wordsOf("lynx", asker, { from: "agent" }), ["A lynx, how nice."]);
    assert.deepEqual(await wordsOf("lynx", asker, { from: { name: "OF BEN" } }), ["the home of the lynx"]);
    assert.deepEqual(await wordsOf('"lynx ran"', asker), ["the lynx ran home"]);
    const until = brandAs<Instant>("2026-01-06T00:00:00.000Z");
    assert.deepEqual(await wordsOf("lynx", asker, { until }), ["the home of the lynx"]);
    assert.deepEqual(await wordsOf("lynx before:2026-01-06", asker), ["the home of the lynx"]);
    assert.equal((await wordsOf("lynx after:2026-01-06", asker)).length, 2);
  });

  it("takes whatever strangers write as words", async () => {
    for (const words of ["' or 1=1 --", "a & b | !c", "%_%", "\0", "@acct", '"', "\\", "x".repeat(5_000), "ﷺ"])
      await assert.doesNotReject(find(words, asking({ conversation: "ada" }), { from: { name: words.slice(0, 50) } }));
  });

  it("reads what was there before in pages, and goes on where it was ended", async () => {
    await sql("update chat_line set terms = null, length = null");
    const ended = new AbortController();
    ended.abort();
    await talks.test.store.search.catchUp(ended.signal);
    await Promise.all([talks.test.open().search.catchUp(never), talks.test.store.search.catchUp(never)]);
    assert.equal((await sql("select 1 from chat_line where terms is null")).length, 0);
    const [counted] = await sql(
      "select count(*)::integer as lines, sum(cardinality(terms))::integer as terms from chat_line",
    );
    await read();
    assert.deepEqual(
      await sql("select count(*)::integer as lines, sum(cardinality(terms))::integer as terms from chat_line"),
      [counted],
    );
    assert.match(
      (await wordsOf("garage", asking({ conversation: "ada", userId: "ada" as UserId })))[0] ?? "",
      /garage/,
    );
  });
});
