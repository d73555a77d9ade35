import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOf } from "@talaria/testkit";
import fc from "fast-check";
import { measure } from "./format.ts";
import { toRichBlocks } from "./rich-blocks.ts";
import { richText } from "./rich-text.ts";
import { message, open, refTo, signal } from "./testing/world.ts";

const table = "# Report\n\n| a | b |\n|---|--:|\n| **1** | 2 |\n";

describe("toRichBlocks", () => {
  it("writes headings, tables, lists and everything else as blocks", () => {
    const markdown = `${table}\ncosts $5 and $6 [site](https://x.example/) ![pic](https://y.example/p.png)\n\n> quoted\n\n---\n\n1. [x] done\n2. *open*\n\n\`\`\`ts\nlet a;\n\`\`\``;
    const cell = { valign: "top" };
    assert.deepEqual(toRichBlocks(markdown), [
      { type: "heading", text: "Report", size: 1 },
      {
        type: "table",
        is_bordered: true,
        cells: [
          [
            { ...cell, align: "left", is_header: true, text: "a" },
            { ...cell, align: "right", is_header: true, text: "b" },
          ],
          [
            { ...cell, align: "left", text: { type: "bold", text: "1" } },
            { ...cell, align: "right", text: "2" },
          ],
        ],
      },
      {
        type: "paragraph",
        text: [
          "costs $5 and $6 ",
          { type: "url", text: "site", url: "https://x.example/" },
          " ",
          { type: "url", text: "pic", url: "https://y.example/p.png" },
        ],
      },
      { type: "blockquote", blocks: [{ type: "paragraph", text: "quoted" }] },
      { type: "divider" },
      {
        type: "list",
        items: [
          { blocks: [{ type: "paragraph", text: "done" }], has_checkbox: true, is_checked: true, value: 1, type: "1" },
          { blocks: [{ type: "paragraph", text: { type: "italic", text: "open" } }], value: 2, type: "1" },
        ],
      },
      { type: "pre", text: "let a;", language: "ts" },
    ]);
  });

  it("writes formulas as Telegram shows them, also where they are all there is", () => {
    assert.deepEqual(toRichBlocks("- so \\(a_1\\,b\\) costs $5\n\n\\[\nx^2\n\\]"), [
      {
        type: "list",
        items: [
          {
            blocks: [
              {
                type: "paragraph",
                text: ["so ", { type: "mathematical_expression", expression: "a_1\\,b" }, " costs $5"],
              },
            ],
          },
        ],
      },
      { type: "mathematical_expression", expression: "x^2" },
    ]);
  });

  const plain: Readonly<Record<string, string>> = {
    "a plain text": "**hello** `there`",
    "a list": "- a\n- b",
    "a table of 21 columns": `|${"a|".repeat(21)}\n|${"-|".repeat(21)}\n`,
    "a list of 300 items": `# x\n\n${"- a\n".repeat(300)}`,
    "seventeen quotes in each other": `# x\n\n${">".repeat(17)} a`,
    nothing: "",
  };
  for (const [name, markdown] of Object.entries(plain))
    it(`leaves ${name} to formatted text`, () => assert.equal(toRichBlocks(markdown), undefined));

  it("makes links of mail addresses and numbers, and leaves other addresses beside their text", () => {
    const [heading] =
      toRichBlocks("# [m](mailto:a@b.test?subject=x) [t](tel:+49-1) [l](http://localhost) [g](geo:1,2)") ?? [];
    assert.deepEqual(heading?.type === "heading" ? heading.text : undefined, [
      { type: "email_address", text: "m", email_address: "a@b.test" },
      " ",
      { type: "phone_number", text: "t", phone_number: "+49-1" },
      " ",
      "l",
      " (http://localhost)",
      " ",
      "g",
      " (geo:1,2)",
    ]);
  });

  it("leaves links of unsafe schemes their text", () =>
    assert.deepEqual(toRichBlocks("# [x](javascript:alert(1))"), [{ type: "heading", text: "x", size: 1 }]));
});

describe("a text with a table", () => {
  it("is sent and edited as a rich message, with its buttons, answer and topic", async () => {
    await using world = await open();
    const { adapter, chat, ada } = world;
    const { messageId } = chat.say(ada, "report?");
    const choices = [{ id: "ok", label: "Fine" }];
    const sent = await adapter.send(
      message(chat.id, table, { choices, replyTo: refTo(0, messageId).messageId }),
      signal,
    );
    const [shown] = chat.botMessages();
    assert.equal(shown?.rich?.[1]?.type, "table");
    assert.deepEqual([shown?.replyTo, shown?.buttons[0]?.[0]?.data], [messageId, "ok"]);
    await adapter.edit?.(sent, `${table}\nmore`, signal);
    assert.match(chat.botMessages()[0]?.text ?? "", /more/);
    await adapter.edit?.(sent, `${table}\nmore`, signal);
    await adapter.edit?.(sent, "plain now", signal);
    assert.deepEqual([chat.botMessages()[0]?.rich, chat.botMessages()[0]?.text], [undefined, "plain now"]);
  });

  it("is formatted text on an older server, which is asked once", async () => {
    await using world = await open({ server: { bots: [{ token: "1:a", richMessages: false }] } });
    const { server, adapter, chat } = world;
    const sent = await adapter.send(message(chat.id, table), signal);
    await adapter.send(message(chat.id, table), signal);
    await adapter.edit?.(sent, `${table}\nmore`, signal);
    assert.equal(server.calls.count("sendRichMessage"), 1);
    assert.match(chat.botMessages()[0]?.html ?? "", /<b>Report<\/b>[\s\S]*<pre>[\s\S]*more/);
    assert.equal(chat.botMessages().length, 2);
  });

  it("is edited as formatted text where an older server ignores the rich message", async () => {
    await using world = await open({ server: { bots: [{ token: "1:a", richMessages: false }] } });
    const { adapter, chat } = world;
    const sent = await adapter.send(message(chat.id, "growing"), signal);
    await adapter.edit?.(sent, table, signal);
    assert.match(chat.botMessages()[0]?.html ?? "", /<b>Report<\/b>/);
  });

  it("is formatted text, once, when Telegram refuses the blocks", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    for (let n = 0; n < 3; n += 1) {
      server.fail("sendRichMessage", {
        kind: "answer",
        code: 400,
        description: "Bad Request: WHATEVER",
        effect: "none",
      });
      await adapter.send(message(chat.id, table), signal);
    }
    await adapter.send(message(chat.id, table), signal);
    assert.equal(chat.botMessages().length, 4);
    assert.equal(server.calls.count("sendRichMessage"), 3, "after three refusals it is no longer offered");
  });

  it("is not sent again when its outcome is unknown, nor when Telegram asks to wait", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    server.fail("sendRichMessage", { kind: "drop", effect: "done" });
    await assert.rejects(adapter.send(message(chat.id, table), signal), { code: "unavailable", effect: "unknown" });
    server.fail("sendRichMessage", { kind: "answer", code: 429, retryAfter: 3, effect: "none" });
    await assert.rejects(adapter.send(message(chat.id, table), signal), { code: "rate_limited", retryAfterMs: 3_000 });
    assert.equal(chat.botMessages().length, 1);
    assert.equal(server.calls.count("sendMessage"), 0);
  });

  it("is formatted text where the configuration says so", async () => {
    await using world = await open({ config: { richMessages: false } });
    await world.adapter.send(message(world.chat.id, table), signal);
    assert.equal(world.server.calls.count("sendRichMessage"), 0);
  });

  it("fits one message up to the limit, whichever way it goes", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    const head = "# Long\n\n";
    const longest = head + "x".repeat(4_096 - measure(`${head}x`) + 1);
    assert.equal(adapter.measure?.(longest), 4_096);
    await adapter.send(message(chat.id, longest), signal);
    assert.equal(await codeOf(adapter.send(message(chat.id, `${longest}x`), signal)), "too_large");
    assert.equal(chat.botMessages().length, 1);
  });

  it("is quoted in its words when somebody answers it", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, table), signal);
    chat.say(ada, "why", { replyTo: Number(sent.messageId) });
    const [event] = await host.recorded(1);
    assert.ok(event?.type === "message.created");
    assert.equal(event.message.quote?.markdown, "Report\n\na | b\n1 | 2");
  });
});

describe("a text with a formula", () => {
  const formula = "so \\(a_1\\)\n\n$$\nx^2\n$$";

  it("is sent as a rich message", async () => {
    await using world = await open();
    await world.adapter.send(message(world.chat.id, formula), signal);
    const [shown] = world.chat.botMessages();
    assert.equal(shown?.text, "so a_1\nx^2");
    assert.deepEqual(shown.rich?.[1], { type: "mathematical_expression", expression: "x^2" });
  });

  it("shows it as code where the server knows no rich messages", async () => {
    await using world = await open({ server: { bots: [{ token: "1:a", richMessages: false }] } });
    await world.adapter.send(message(world.chat.id, formula), signal);
    assert.match(world.chat.botMessages()[0]?.html ?? "", /so <code>a_1<\/code>[\s\S]*latex[\s\S]*x\^2/);
  });
});

describe("the words of a rich message", () => {
  it("are all there", () =>
    assert.equal(
      richText({
        blocks: [
          {
            type: "list",
            items: [{ label: "1.", blocks: [{ type: "paragraph", text: ["a", { type: "bold", text: "b" }] }] }],
          },
          { type: "details", summary: "more", blocks: [{ type: "paragraph", text: "inside" }] },
          { type: "mathematical_expression", expression: "x^2" },
        ],
      }),
      "1. ab\n\nmore\ninside\n\nx^2",
    ));

  it("never throw, however odd, deep or wide it is", () => {
    fc.assert(fc.property(fc.anything(), (value) => typeof richText({ blocks: [value] }) === "string"));
    let deep: object = { text: "x" };
    for (let n = 0; n < 5_000; n += 1) deep = { blocks: [deep] };
    assert.equal(richText({ blocks: [deep] }), "");
    assert.equal(richText({ blocks: Array(100_000).fill({ text: "x" }) }).length, 32_768);
  });
});
