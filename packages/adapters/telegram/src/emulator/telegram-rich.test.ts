import assert from "node:assert/strict";
import { it } from "node:test";
import type { InputRichBlock, RichText } from "grammy/types";
import { refusalOf, startedServer } from "./test-server.ts";

const paragraph = (text: RichText): InputRichBlock => ({ type: "paragraph", text });
const cell = { text: "x", align: "left", valign: "top" } as const;

it("shows a rich message with what people read in it, and edits it both ways", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  const blocks: InputRichBlock[] = [
    { type: "heading", text: ["Big ", { type: "bold", text: "news" }], size: 1 },
    { type: "list", items: [{ blocks: [paragraph("one")], value: 1, type: "1" }] },
    { type: "table", cells: [[cell, { ...cell, text: "y" }]] },
    { type: "mathematical_expression", expression: "x^2" },
    paragraph(["so ", { type: "mathematical_expression", expression: "a_1" }]),
  ];
  const sent = await api.sendRichMessage(chat.id, { blocks });
  assert.deepEqual(sent.rich_message?.blocks.length, 5);
  assert.deepEqual(
    [chat.botMessages()[0]?.text, chat.botMessages()[0]?.rich],
    ["Big news\n1. one\nx | y\nx^2\nso a_1", blocks],
  );
  await api.editMessageText(chat.id, sent.message_id, "plain");
  assert.deepEqual([chat.botMessages()[0]?.text, chat.botMessages()[0]?.rich], ["plain", undefined]);
  const rich_message = { blocks: [paragraph("again")] };
  await api.raw.editMessageText({ chat_id: chat.id, message_id: sent.message_id, rich_message });
  const same = refusalOf(api.raw.editMessageText({ chat_id: chat.id, message_id: sent.message_id, rich_message }));
  assert.match(String(await same), /message is not modified/);
});

it("refuses what exceeds the limits or is no block", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  const nested = (depth: number): InputRichBlock =>
    depth === 1 ? paragraph("x") : { type: "blockquote", blocks: [nested(depth - 1)] };
  const formatted = (depth: number): RichText => (depth === 0 ? "x" : { type: "bold", text: formatted(depth - 1) });
  const wide = (columns: number): InputRichBlock => ({ type: "table", cells: [Array(columns).fill(cell)] });
  const refused: readonly (readonly InputRichBlock[])[] = [
    [],
    [paragraph("")],
    [paragraph(" ")],
    Array(501).fill(paragraph("x")),
    [nested(17)],
    [paragraph(formatted(17))],
    [wide(21)],
    [paragraph("x".repeat(32_769))],
    [{ type: "heading", text: "x", size: 7 as 6 }],
    [{ type: "list", items: [] }],
    [{ type: "list", items: [{ blocks: [], has_checkbox: true }] }],
    [{ type: "list", items: [{ blocks: [paragraph("x")], is_checked: true }] }],
    [paragraph({ type: "url", text: "x", url: "not an address" })],
    [{ type: "mathematical_expression", expression: " " }],
    [paragraph({ type: "mathematical_expression", expression: "" })],
    [{ type: "mathematical_expression" } as unknown as InputRichBlock],
    [{ type: "marquee", text: "x" } as unknown as InputRichBlock],
  ];
  for (const blocks of refused)
    assert.match(
      String(await refusalOf(api.sendRichMessage(chat.id, { blocks: [...blocks] }))),
      /^Bad Request/,
      JSON.stringify(blocks).slice(0, 80),
    );
  for (const blocks of [Array(500).fill(paragraph("x")), [nested(16)], [wide(20)], [paragraph("x".repeat(32_768))]])
    await api.sendRichMessage(chat.id, { blocks });
  assert.equal(chat.botMessages().length, 4);
  assert.match(String(await refusalOf(api.raw.sendRichMessage({ chat_id: chat.id, rich_message: {} }))), /exactly one/);
});

it("is an older server where the test says so", async () => {
  await using peer = await startedServer({ bots: [{ token: "1:a", richMessages: false }] });
  const { api, chat } = peer;
  assert.equal(await refusalOf(api.sendRichMessage(chat.id, { blocks: [paragraph("x")] })), "Not Found");
  const { message_id } = await api.sendMessage(chat.id, "x");
  const edit = api.raw.editMessageText({ chat_id: chat.id, message_id, rich_message: { blocks: [paragraph("y")] } });
  assert.equal(await refusalOf(edit), "Bad Request: message text is empty");
});

it("deletes a topic's messages with it", async () => {
  await using peer = await startedServer();
  const forum = peer.group({ title: "Forum", members: [peer.ada], topics: ["Bugs"] });
  const { messageId } = forum.say(peer.ada, "it broke", { topic: forum.topic("Bugs") });
  forum.deleteTopic(forum.topic("Bugs"));
  const reply = { reply_parameters: { message_id: messageId } };
  assert.match(String(await refusalOf(peer.api.sendMessage(forum.id, "x", reply))), /replied not found/);
});
