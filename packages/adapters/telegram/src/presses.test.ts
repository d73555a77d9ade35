import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryStore } from "@talaria/testkit";
import { attached, message, open, signal } from "./testing/world.ts";

const colours = [
  { id: "green", label: "Green" },
  { id: "black", label: "Black" },
];

const listed = [1, 2].flatMap((n) => [
  { id: `approve-0000000${n}`, label: `Approve ${n}`, row: n },
  { id: `deny-0000000${n}`, label: `Deny ${n}`, row: n },
]);

describe("a press of a button", () => {
  it("leaves a list of questions as it is, a line for each, until the house shows what is left", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "Both?", { choices: listed }), signal);
    assert.equal((await chat.press(ada, Number(sent.messageId), "Approve 2").answer).text ?? "", "");
    assert.equal((await chat.press(ada, Number(sent.messageId), "Deny 1").answer).text ?? "", "");
    assert.equal(host.offered.length, 2);
    await adapter.stop();
    assert.deepEqual(
      chat.botMessages()[0]?.buttons.map((line) => line.map(({ text }) => text)),
      [
        ["Approve 1", "Deny 1"],
        ["Approve 2", "Deny 2"],
      ],
    );
    assert.equal(chat.botMessages()[0]?.text, "Both?");
  });

  it("leaves one question as it is, too: it may have decided nothing", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const choices = ["approve", "deny"].map((verb) => ({ id: `${verb}-00000001`, label: verb }));
    const sent = await adapter.send(message(chat.id, "May I?", { choices }), signal);
    assert.equal((await chat.press(ada, Number(sent.messageId), "approve").answer).text ?? "", "");
    assert.equal(host.offered.length, 1);
    await host.calm();
    assert.deepEqual(
      chat
        .botMessages()[0]
        ?.buttons.flat()
        .map(({ text }) => text),
      ["approve", "deny"],
    );
    assert.equal(chat.botMessages()[0]?.text, "May I?");
  });

  it("takes the buttons away and writes what was chosen below the words, which keep their formatting", async () => {
    await using world = await open({ config: { richMessages: false } });
    const { adapter, chat, ada, host } = world;
    const text = "**Which** [one](https://example.org/), `a` or https://example.org/b?";
    const sent = await adapter.send(message(chat.id, text, { choices: colours }), signal);
    const before = chat.botMessages()[0]?.html;
    chat.press(ada, Number(sent.messageId), "Green");
    await host.until(() => chat.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    assert.equal(chat.botMessages()[0]?.html, `${before}\n\n✓ Green`);
  });

  it("closes a message with a file in its caption", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const attachments = attached("small", "text/plain");
    const sent = await adapter.send(message(chat.id, "**Which**?", { attachments, choices: colours }), signal);
    chat.press(ada, Number(sent.messageId), "Green");
    await host.until(() => chat.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    assert.equal(chat.botMessages()[0]?.html, "<b>Which</b>?\n\n✓ Green");
  });

  const wholes: readonly [what: string, text: string][] = [
    ["a rich message", "| a | b |\n|---|---|\n| 1 | 2 |"],
    ["a text without room", "x".repeat(4_090)],
  ];
  for (const [what, text] of wholes)
    it(`leaves one button that says what was chosen below ${what}, and that does nothing`, async () => {
      await using world = await open();
      const { adapter, chat, ada, host } = world;
      const sent = await adapter.send(message(chat.id, text, { choices: colours }), signal);
      const shown = chat.botMessages()[0];
      chat.press(ada, Number(sent.messageId), "Green");
      const left = () =>
        chat
          .botMessages()[0]
          ?.buttons.flat()
          .map((button) => button.text);
      await host.until(() => left()?.length === 1, "one button is left");
      assert.deepEqual(left(), ["✓ Green"]);
      assert.deepEqual([chat.botMessages()[0]?.text, chat.botMessages()[0]?.rich], [shown?.text, shown?.rich]);
      const again = chat.press(ada, Number(sent.messageId), "✓ Green");
      assert.equal((await again.answer).text, "This was answered already.");
      assert.equal(host.offered.length, 1);
    });

  it("that comes too late begins nothing and is told what was chosen", async () => {
    await using world = await open();
    const { server, adapter, chat, ada, host } = world;
    host.takesOnePress = true;
    const sent = await adapter.send(message(chat.id, "Which?", { choices: colours }), signal);
    const release = host.hold();
    const [first, second] = [
      chat.press(ada, Number(sent.messageId), "Green"),
      chat.press(ada, Number(sent.messageId), "Black"),
    ];
    release();
    assert.deepEqual([(await first.answer).text, (await second.answer).text], ["", "This was answered already: Green"]);
    await host.until(() => chat.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    await host.calm();
    assert.deepEqual([host.events.length, chat.botMessages()[0]?.text], [1, "Which?\n\n✓ Green"]);
    assert.ok(server.calls.count("editMessageText") >= 1);
  });

  it("that Telegram brings again after a crash still shows what was chosen, and nothing that was pressed later", async () => {
    const store = memoryStore();
    await using world = await open({ store });
    const { server, adapter, chat, ada, host } = world;
    host.takesOnePress = true;
    const sent = await adapter.send(message(chat.id, "Which?", { choices: colours }), signal);
    server.fail("editMessageText", { kind: "answer", code: 500, description: "Internal", effect: "none" });
    await chat.press(ada, Number(sent.messageId), "Green").answer;
    await host.until(() => server.calls.count("editMessageText") === 1, "the first edit was tried");
    await adapter.stop();
    const late = chat.press(ada, Number(sent.messageId), "Black");
    await adapter.start(host);
    assert.equal((await late.answer).text, "This was answered already: Green");
    await host.until(() => chat.botMessages()[0]?.text === "Which?\n\n✓ Green", "the choice is shown");
    assert.equal(host.events.length, 1);
  });

  it("that is known already, while nobody knows what was chosen, closes the message and claims nothing", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "Which?", { choices: colours }), signal);
    host.accept = async () => "duplicate";
    assert.equal((await chat.press(ada, Number(sent.messageId), "Black").answer).text, "This was answered already.");
    await host.until(() => chat.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    assert.equal(chat.botMessages()[0]?.text, "Which?");
  });

  it("is tried again when Telegram asks to slow down", async () => {
    await using world = await open();
    const { server, adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "Which?", { choices: colours }), signal);
    server.fail("editMessageText", { kind: "answer", code: 429, retryAfter: 1, effect: "none" });
    chat.press(ada, Number(sent.messageId), "Green");
    await host.until(() => chat.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
  });
});
