import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { accountId, beginTurn, entryOf, never, newWorker } from "../test-store.ts";
import { useWebChats } from "./web-chats.fixture.ts";

describe("lists of conversations", () => {
  const chats = useWebChats();
  const { say, reply, list, idsOf, shown, key, sql } = chats;

  it("show the newest first with the beginning of the first message, the newest line and what was not read", async () => {
    await say("l-1", "first", "plan **the** trip");
    await say("l-2", "second", "hello");
    await reply("r-1", "first", "Where to?");
    await reply("r-2", "first", "And when?");
    const { chats: found, next } = await list();
    assert.deepEqual(
      found.map((one) => [one.conversationId, one.beginning, one.preview, one.previewFrom, one.unread]),
      [
        ["first", "plan **the** trip", "And when?", "agent", 2],
        ["second", "hello", "hello", "person", 0],
      ],
    );
    assert.equal(next, undefined);
    assert.deepEqual([found[0]?.isRunning, found[0]?.waiting, found[0]?.platform], [false, 0, "web"]);
  });

  it("come page by page, without a gap where many are of one instant", async () => {
    for (let n = 0; n < 7; n += 1) await say(`p-${n}`, `page-${n}`);
    await list();
    await sql("update chat set last_at = '2030-01-01' where conversation_id like 'page-%'");
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await list({ limit: 3, ...(before === undefined ? {} : { before }) });
      seen.push(...page.chats.map(({ conversationId }) => conversationId));
      before = page.next;
    } while (before !== undefined);
    assert.deepEqual(seen, await idsOf());
    assert.deepEqual(
      seen.slice(0, 7),
      [6, 5, 4, 3, 2, 1, 0].map((n) => `page-${n}`),
    );
    for (const bad of ["now", "2030-01-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z~a", "~~", "infinity~a~b"])
      await assert.rejects(list({ before: bad }), { code: "invalid_request" }, bad);
  });

  it("count what was read once for everybody, never backwards, and never what comes later", async () => {
    await say("u-1", "unread");
    for (const n of [1, 2, 3]) await reply(`u-r${n}`, "unread");
    const { lines } = await chats.store.chats.history(key("unread"), 50);
    await sql("update outbox set created_at = created_at + id * interval '1 second' where conversation_id = 'unread'");
    const later = (await chats.store.chats.history(key("unread"), 50)).lines;
    assert.equal((await shown("unread"))?.unread, 3);
    assert.equal(lines.length, later.length);
    await sql("update outbox set created_at = created_at - interval '1 hour' where conversation_id = 'unread'");
    await sql("update inbox set recorded_at = recorded_at - interval '2 hours' where conversation_id = 'unread'");
    const [, one, two] = (await chats.store.chats.history(key("unread"), 50)).lines;
    assert.deepEqual(await chats.store.chats.read(key("unread"), two!.at), { unread: 1 });
    assert.deepEqual(await chats.store.chats.read(key("unread"), one!.at), { unread: 1 });
    assert.deepEqual(await chats.store.chats.read(key("unread"), instantOf(Date.UTC(2400, 0, 1))), { unread: 0 });
    await reply("u-r4", "unread");
    assert.equal((await shown("unread"))?.unread, 1);
    assert.equal(await chats.store.chats.read(key("nowhere"), one!.at), undefined);
  });

  it("take what a person writes as a sign that the rest was read", async () => {
    await say("w-1", "written");
    await reply("w-r1", "written");
    assert.equal((await shown("written"))?.unread, 1);
    await say("w-2", "written");
    assert.equal((await shown("written"))?.unread, 0);
  });

  it("do not take what a process or a decision brings as written by a person", async () => {
    await say("c-1", "called");
    await reply("c-r1", "called");
    await sql(`insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at)
               select session_key, seq + 1, account_id, 'c-2', conversation_id, mode, jsonb_set(body, '{type}', '"call.settled"'), now()
                 from inbox where event_id = 'c-1'`);
    assert.equal((await shown("called"))?.unread, 1);
  });

  it("forget what is older than what is kept", async () => {
    await say("k-1", "kept");
    await say("a-1", "aged", "ancient");
    await chats.store.inbox.settle({
      ...{ event: chats.eventIn("a-2", "aged", "/status"), outcome: "command", reason: "command:status" },
    } as const);
    assert.equal((await list({ words: "ancient" })).chats.length, 1);
    for (const [table, at] of [
      ["inbox", "recorded_at"],
      ["chat_line", "at"],
      ["given_command", "at"],
      ["chat", "last_at"],
    ])
      await sql(`update ${table} set ${at} = ${at} - interval '40 days' where conversation_id = 'aged'`);
    await sql("update inbox set turn_id = 'x' where conversation_id = 'aged'");
    await chats.store.operations.prune(30, never);
    assert.deepEqual(await sql("select 1 from chat_line where conversation_id = 'aged'"), []);
    assert.deepEqual(await sql("select 1 from given_command where conversation_id = 'aged'"), []);
    assert.deepEqual(await sql("select 1 from chat where conversation_id = 'aged'"), []);
    assert.equal((await shown("kept"))?.preview, "k-1");
    assert.equal((await sql("select 1 from chat_line where conversation_id = 'kept'")).length, 1);
  });

  it("have names that people give, and take away", async () => {
    await say("n-1", "named");
    assert.deepEqual(await chats.store.chats.name(key("named"), "Größe der Reise"), { isNamed: true });
    assert.equal((await shown("named"))?.title, "Größe der Reise");
    assert.deepEqual(await idsOf({ words: "grosse reise" }), []);
    assert.deepEqual(await idsOf({ words: "groß REIS" }), ["named"]);
    assert.deepEqual(await chats.store.chats.name(key("named"), ""), { isNamed: false });
    assert.equal((await shown("named"))?.title, undefined);
    assert.deepEqual(await idsOf({ words: "reise" }), []);
    assert.equal(await chats.store.chats.name(key("nowhere"), "x"), undefined);
  });

  it("tell of open turns and of other accounts, by the names of their people", async () => {
    await chats.store.inbox.record(entryOf("o-1", "elsewhere"));
    await beginTurn(chats.store, "elsewhere", await newWorker(chats.store));
    const all = (await chats.store.chats.list({ limit: 50 })).chats;
    const found = all.find(({ conversationId }) => conversationId === "elsewhere");
    assert.deepEqual(
      [found?.accountId, found?.platform, found?.knownAs, found?.isRunning, found?.unread, found?.beginning],
      [accountId, "loopback", "Ada", true, 0, undefined],
    );
    assert.ok(!(await idsOf()).includes(found!.conversationId));
  });

  it("are up to date after any number of rows, and take each once", async () => {
    const { store } = chats;
    await Promise.all(Array.from({ length: 40 }, (_, n) => store.inbox.record(entryOf(`many-${n}`, `many-${n % 4}`))));
    await store.chats.catchUp(never);
    await store.chats.catchUp(never);
    const rows = await sql(
      "select count(*)::integer as n, count(distinct line_id)::integer as once from chat_line where line_id like 'many-%'",
    );
    assert.deepEqual(rows, [{ n: 40, once: 40 }]);
    await sql("update inbox set recorded_at = '2026-01-01' where event_id like 'many-%'");
    await sql("delete from chat_line; delete from chat; delete from total where name like 'chats_%'");
    await sql(
      `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at)
       select 'acct/many-0', 1000 + n, account_id, 'more-' || n, conversation_id, mode, body, recorded_at
         from inbox cross join generate_series(1, 1200) as n where event_id = 'many-0'`,
    );
    await store.chats.catchUp(never);
    const again = await sql("select count(*)::integer as n from chat_line where line_id ~ '^(many|more)-'");
    assert.deepEqual(again, [{ n: 1_240 }]);
  });
});
