import assert from "node:assert/strict";
import { it } from "node:test";
import { refusalOf, startedServer } from "./test-server.ts";

it("accepts 4096 units of text after parsing and not one more", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  assert.ok(await api.sendMessage(chat.id, "x".repeat(4_096)));
  assert.ok(await api.sendMessage(chat.id, `<b>${"&lt;".repeat(4_096)}</b>`, { parse_mode: "HTML" }));
  assert.equal(await refusalOf(api.sendMessage(chat.id, "x".repeat(4_097))), "Bad Request: message is too long");
  assert.equal(await refusalOf(api.sendMessage(chat.id, "🎉".repeat(2_049))), "Bad Request: message is too long");
});

it("refuses text nobody could see", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  assert.equal(await refusalOf(api.sendMessage(chat.id, "")), "Bad Request: message text is empty");
  for (const text of [" \n ", "\u200b\u200d", "<b></b>"]) {
    const refusal = await refusalOf(api.sendMessage(chat.id, text, { parse_mode: "HTML" }));
    assert.equal(refusal, "Bad Request: text must be non-empty");
  }
  const lone = await refusalOf(api.sendMessage(chat.id, "a\ud800b"));
  assert.equal(lone, "Bad Request: strings must be encoded in UTF-8");
  assert.deepEqual(chat.messages(), []);
});

it("refuses HTML with the byte offset of the flaw", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  const refused: readonly (readonly [string, string])[] = [
    ["ä <div>x</div>", 'Unsupported start tag "div" at byte offset 3'],
    ["1 < 2", 'Unsupported start tag "" at byte offset 2'],
    ["<b>open", `Can't find end tag corresponding to start tag "b"`],
    ["<b><i>x</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ["x</b>", "Unexpected end tag at byte offset 1"],
    ["<b", "Unclosed start tag at byte offset 0"],
    ["<b>x</b", "Unclosed end tag at byte offset 4"],
    ['<span class="x">y</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ["<a href=http://x.y>z</a>", "Unexpected end of name token at byte offset 8"],
    ['<a href="x>z</a>', 'Unclosed start tag "a" at byte offset 0'],
    ["<br/>", 'Unsupported start tag "br/" at byte offset 0'],
  ];
  for (const [html, reason] of refused) {
    const refusal = await refusalOf(api.sendMessage(chat.id, html, { parse_mode: "HTML" }));
    assert.equal(refusal, `Bad Request: can't parse entities: ${reason}`, html);
  }
});

it("shows what each tag means, in one spelling", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  const cases: readonly (readonly [string, string])[] = [
    ["<strong>a</strong><em>b</em><ins>c</ins><del>d</del>", "<b>a</b><i>b</i><u>c</u><s>d</s>"],
    ['<span class="tg-spoiler">x</span>', "<tg-spoiler>x</tg-spoiler>"],
    [
      '<pre><code class="language-ts">a &amp;&amp; b</code></pre>',
      '<pre><code class="language-ts">a &amp;&amp; b</code></pre>',
    ],
    ["<code>a <b>b</b></code>", "<code>a b</code>"],
    ['<a href="https://example.com">x</a>', '<a href="https://example.com/">x</a>'],
    ['<a href="javascript:alert(1)">x</a>', "x"],
    ["<blockquote expandable>q</blockquote>", "<blockquote expandable>q</blockquote>"],
    ["&lt;b&gt; &#9731; &#x1F600; &quot; &nbsp; &", '&lt;b&gt; ☃ 😀 " &amp;nbsp; &amp;'],
    ["<b>a<i>b</i></b>", "<b>a<i>b</i></b>"],
    ["  <b>trimmed</b>  \n", "  <b>trimmed</b>"],
    ["\n plain \n", "plain"],
  ];
  for (const [html, seen] of cases) {
    const sent = await api.sendMessage(chat.id, html, { parse_mode: "HTML" });
    assert.equal(chat.message(sent.message_id)?.html, seen.replace(/^ {2}(?=<b>trim)/, ""), html);
  }
});

it("counts entity offsets in UTF-16 units", async () => {
  await using peer = await startedServer();
  const sent = await peer.api.sendMessage(peer.chat.id, "🎉🎉 <b>é</b> /go @ada_l", { parse_mode: "HTML" });
  assert.deepEqual(sent.entities, [
    { type: "bold", offset: 5, length: 1 },
    { type: "bot_command", offset: 7, length: 3 },
    { type: "mention", offset: 11, length: 6 },
  ]);
});

it("marks links, mail addresses, commands and mentions, but nothing inside links and code", async () => {
  await using peer = await startedServer();
  const marked = async (text: string) => {
    const { entities = [] } = await peer.api.sendMessage(peer.chat.id, text, { parse_mode: "HTML" });
    return entities.map(({ type, offset, length }) => `${type} ${offset}+${length}`);
  };
  assert.deepEqual(await marked("see https://example.com/@ada_l/?q=#top, ok"), ["url 4+34"]);
  assert.deepEqual(await marked('<a href="https://example.com">@ada_l</a>'), ["text_link 0+6"]);
  assert.deepEqual(await marked("ada@example.com or @ada_l"), ["email 0+15", "mention 19+6"]);
  assert.deepEqual(await marked("<code>/rm @ada_l</code> /rm a/b"), ["code 0+10", "bot_command 11+3"]);
});

it("edits only own messages that exist, and only when something changes", async () => {
  await using peer = await startedServer();
  const { api, chat, ada } = peer;
  const { message_id: id } = await api.sendMessage(chat.id, "one");
  await api.editMessageText(chat.id, id, "<b>two</b>", { parse_mode: "HTML" });
  const { messageId } = chat.say(ada, "mine");
  const refusals = [
    await refusalOf(api.editMessageText(chat.id, id, "two", { entities: [{ type: "bold", offset: 0, length: 3 }] })),
    await refusalOf(api.editMessageText(chat.id, 999, "x")),
    await refusalOf(api.editMessageText(chat.id, messageId, "x")),
    await refusalOf(api.deleteMessage(chat.id, 999)),
  ];
  assert.match(String(refusals[0]), /^Bad Request: message is not modified: /);
  assert.deepEqual(refusals.slice(1), [
    "Bad Request: message to edit not found",
    "Bad Request: message can't be edited",
    "Bad Request: message to delete not found",
  ]);
  assert.ok(await api.editMessageText(chat.id, id, "two"));
  await api.deleteMessage(chat.id, id);
  assert.equal(await refusalOf(api.editMessageText(chat.id, id, "x")), "Bad Request: message to edit not found");
  const seen = chat.message(id);
  assert.deepEqual([seen?.edits, seen?.history, seen?.deleted], [2, ["one", "two"], true]);
});

it("answers to messages that exist, with a quote that is in them", async () => {
  await using peer = await startedServer();
  const { api, chat, ada } = peer;
  const { messageId } = chat.say(ada, "what is the time");
  const reply = (reply_parameters: object) =>
    refusalOf(api.sendMessage(chat.id, "noon", { reply_parameters: { message_id: messageId, ...reply_parameters } }));
  await reply({ quote: "the time" });
  assert.deepEqual([chat.botMessages()[0]?.replyTo, chat.botMessages()[0]?.quote], [messageId, "the time"]);
  assert.equal(await reply({ message_id: 77 }), "Bad Request: message to be replied not found");
  assert.equal(await reply({ quote: "the place" }), "Bad Request: QUOTE_TEXT_INVALID");
  await reply({ message_id: 77, allow_sending_without_reply: true });
  assert.equal(chat.botMessages()[1]?.replyTo, undefined);
});

it("streams drafts to private chats only, and stops them when the person asks", async () => {
  await using peer = await startedServer();
  const { api, chat, ada } = peer;
  const group = peer.group({ title: "Ops", members: [ada] });
  await api.sendMessageDraft(chat.id, 7, "");
  await api.sendMessageDraft(chat.id, 7, "thin", { can_stop: true });
  assert.deepEqual(
    chat.drafts().map((draft) => draft.text),
    ["", "thin"],
  );
  chat.stopGeneration();
  assert.equal(chat.visibleDraft(), undefined);
  const [update] = await api.getUpdates();
  assert.deepEqual(
    [update?.stopped_message_generation?.draft_id, update?.stopped_message_generation?.chat.id],
    [7, ada.id],
  );
  await api.sendMessageDraft(chat.id, 8, "more");
  assert.equal(chat.visibleDraft()?.text, "more");
  assert.throws(() => chat.stopGeneration(), /no draft with a Stop button/);
  await api.sendMessage(chat.id, "done");
  assert.equal(chat.visibleDraft(), undefined);
  assert.equal(await refusalOf(api.sendMessageDraft(group.id, 1, "x")), "Bad Request: TEXTDRAFT_PEER_INVALID");
  assert.equal(await refusalOf(api.sendMessageDraft(chat.id, 0, "x")), "Bad Request: RANDOM_ID_INVALID");
  assert.equal(
    await refusalOf(api.sendMessageDraft(chat.id, 1, "x".repeat(4_097))),
    "Bad Request: message is too long",
  );
});

it("forgets a draft after 30 seconds", async () => {
  let now = 1_000_000;
  await using peer = await startedServer({ now: () => now });
  await peer.api.sendMessageDraft(peer.chat.id, 1, "thinking");
  now += 29_999;
  assert.equal(peer.chat.visibleDraft()?.text, "thinking");
  now += 1;
  assert.equal(peer.chat.visibleDraft(), undefined);
});

it("says what is in the chat when an awaited message does not come", async () => {
  await using peer = await startedServer();
  peer.chat.say(peer.ada, "anybody?");
  await peer.api.sendMessage(peer.chat.id, "somebody else");
  await assert.rejects(
    peer.chat.waitForBotMessage("hello", 1),
    /hello.*did not appear[\s\S]*Ada: "anybody\?"[\s\S]*bot: "somebody else"/,
  );
});

it("finds an awaited text also when an edit brings it", async () => {
  await using peer = await startedServer();
  const { message_id: id } = await peer.api.sendMessage(peer.chat.id, "thin");
  const waiting = peer.chat.waitForBotMessage(/^thinking done$/);
  await peer.api.editMessageText(peer.chat.id, id, "thinking done");
  assert.equal((await waiting).id, id);
});

it("lets a person press a button and see the bot's answer", async () => {
  await using peer = await startedServer();
  const { api, chat, ada } = peer;
  const keyboard = (text: string, callback_data: string) => ({
    reply_markup: { inline_keyboard: [[{ text, callback_data }]] },
  });
  const { message_id: id } = await api.sendMessage(chat.id, "sure?", keyboard("Yes", "approve:1"));
  const press = chat.press(ada, id, "Yes");
  const [update] = await api.getUpdates();
  assert.equal(update?.callback_query?.data, "approve:1");
  assert.equal(press.isAnswered(), false);
  await api.answerCallbackQuery(press.queryId, { text: "Done" });
  assert.deepEqual(await press.answer, { text: "Done", showAlert: false });
  assert.match(String(await refusalOf(api.answerCallbackQuery(press.queryId))), /query is too old/);
  await api.editMessageText(chat.id, id, "sure?");
  assert.deepEqual(chat.message(id)?.buttons, []);
  const refusal = await refusalOf(api.sendMessage(chat.id, "x", keyboard("Yes", "ä".repeat(33))));
  assert.equal(refusal, "Bad Request: BUTTON_DATA_INVALID");
});

it("reacts with the emoji Telegram knows", async () => {
  await using peer = await startedServer();
  const { api, chat, ada } = peer;
  const { messageId } = chat.say(ada, "nice");
  await api.setMessageReaction(chat.id, messageId, [{ type: "emoji", emoji: "👍" }]);
  assert.deepEqual(chat.message(messageId)?.reactions.get(peer.botUser.id), ["👍"]);
  const odd = { type: "emoji", emoji: "🦖" as "👍" } as const;
  assert.equal(await refusalOf(api.setMessageReaction(chat.id, messageId, [odd])), "Bad Request: REACTION_INVALID");
});
