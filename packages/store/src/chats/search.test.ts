import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textOf } from "../test-store.ts";
import { useWebChats } from "./web-chats.fixture.ts";

describe("a search of conversations", () => {
  const chats = useWebChats();
  const { say, reply, list, idsOf, key, sql } = chats;

  it("finds words by their beginnings, without case, accents and signs, also of other scripts", async () => {
    await say("s-1", "french", "Le café était fermé, n'est-ce pas?");
    await say("s-2", "russian", "Привет, МИР");
    await say("s-3", "chinese", "请把销售数据发给我");
    await say("s-4", "japanese", "がんばって東京都庁へ");
    await say("s-5", "code", "see https://example.org/a_b?c=1 and foo.bar(42)");
    const found: readonly (readonly [string, readonly string[]])[] = [
      ["CAFE", ["french"]],
      ["caf ferm", ["french"]],
      ["etai", ["french"]],
      ["n'est", ["french"]],
      ["afé", []],
      ["café bar", []],
      ["мир", ["russian"]],
      ["销售", ["chinese"]],
      ["数据", ["chinese"]],
      ["售销", []],
      ["東京", ["japanese"]],
      ["がん", ["japanese"]],
      ["example.org", ["code"]],
      ["foo.bar(4", ["code"]],
      ["a_b", ["code"]],
    ];
    for (const [words, ids] of found) assert.deepEqual(await idsOf({ words }), ids, words);
  });

  it("takes words of strangers as words and nothing else", async () => {
    await say("o-1", "odd", "plain");
    for (const words of [
      "' or 1=1",
      "a & b | !c",
      "<->",
      "a:*",
      "\\",
      "'@web'",
      "(((",
      "!plain",
      "plain' | 'x",
      "\0plain",
      "ﷺ".repeat(200),
      "x".repeat(200),
    ])
      await assert.doesNotReject(list({ words }), words.slice(0, 20));
    assert.deepEqual(await idsOf({ words: "plain:*" }), ["odd"]);
    assert.deepEqual(await idsOf({ words: "!plain" }), ["odd"]);
    assert.deepEqual(await idsOf({ words: "plain | french" }), []);
  });

  it("has all words in one line, and that line as the preview", async () => {
    await say("p-1", "split", "apples are red");
    await reply("p-2", "split", "pears are green");
    await reply("p-3", "split", "nothing else");
    assert.deepEqual(await idsOf({ words: "apples green" }), []);
    const [found] = (await list({ words: "pears green" })).chats;
    assert.deepEqual([found?.preview, found?.previewFrom], ["pears are green", "agent"]);
  });

  it("stays within the account that was named", async () => {
    await chats.store.outbox.add([textOf("x-1", "elsewhere", { markdown: "zebra" })]);
    assert.deepEqual(await idsOf({ words: "zebra" }), []);
    const all = await chats.store.chats.list({ limit: 10, words: "zebra" });
    assert.deepEqual(
      all.chats.map(({ conversationId, platform }) => [conversationId, platform]),
      [["elsewhere", "loopback"]],
    );
  });

  it("comes page by page, newest first", async () => {
    for (let n = 0; n < 5; n += 1) await say(`g-${n}`, `giraffe-${n}`, `a giraffe of ${n}`);
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await list({ limit: 2, words: "giraffe", ...(before === undefined ? {} : { before }) });
      seen.push(...page.chats.map(({ conversationId }) => conversationId));
      before = page.next;
    } while (before !== undefined);
    assert.deepEqual(
      seen,
      [4, 3, 2, 1, 0].map((n) => `giraffe-${n}`),
    );
  });

  it("finds nothing that the history does not show", async () => {
    await reply("w-1", "withdrawn", "walrus");
    assert.deepEqual(await idsOf({ words: "walrus" }), ["withdrawn"]);
    await sql("update outbox set state = 'withdrawn' where delivery_key = 'w-1'");
    assert.deepEqual(await idsOf({ words: "walrus" }), []);
  });

  it("finds words that are in more lines than it looks at, with the newest conversations first", async () => {
    await say("m-1", "crowd", "ostrich one");
    await say("m-2", "quiet", "ostrich two");
    await list();
    await sql(
      `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at)
       select session_key, seq + n, account_id, event_id || '-' || n, conversation_id, mode, body, recorded_at
         from inbox cross join generate_series(1, 5200) as n where event_id = 'm-1'`,
    );
    await chats.store.chats.catchUp(new AbortController().signal);
    const { chats: found, isPartial } = await list({ words: "ostrich" });
    assert.deepEqual(
      found.map(({ conversationId, preview }) => [conversationId, preview]),
      [
        ["quiet", "ostrich two"],
        ["crowd", "ostrich one"],
      ],
    );
    assert.equal(isPartial, undefined);
    assert.equal((await chats.store.chats.history(key("crowd"), 10)).lines.length, 10);
  });
});
