import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { answerTo, filesOf, type MailStage, never, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const others = ["<bob.1@people.test>", "<bob.2@people.test>"];
const attribution = "On Mon, 2 Nov 2026 at 10:00, Bob <bob@people.test> wrote:";
const left = /left out|cut here|whole-mail/;

describe("a mail that brings the agent into a thread of others", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  const say = (text: string, facts: Parameters<MailStage["server"]["say"]>[2] = {}) =>
    stage.next(() => void stage.server.say(ada.from, text, { references: others, inReplyTo: others[1]!, ...facts }));

  it("is read with what it quotes, and with its subject", async () => {
    const quoted = `${attribution}\n> Tuesday 10 November or Friday 13 November?\n>\n> On Sun, 1 Nov 2026 at 9:00, Ada <ada@people.test> wrote:\n>> When?`;
    const event = await say(`+Agent, can you put these dates into a table?\n\n${quoted}`, { subject: "Re: Dates" });
    assert.equal(textOf(event), `Subject: Re: Dates\n\n+Agent, can you put these dates into a table?\n\n${quoted}`);
    assert.deepEqual(filesOf(event), []);
  });

  it("is so in Gmail's HTML", async () => {
    const html = `<div dir="ltr">A table, please.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">${attribution.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}<br></div><blockquote class="gmail_quote">Tuesday 10 November?</blockquote></div>`;
    const text = textOf(await say("", { html, subject: "Re: Dates in HTML", references: ["<html.1@people.test>"] }));
    assert.match(text, /^Subject: Re: Dates in HTML\n\nA table, please\.\n\n> On Mon, [\s\S]*> Tuesday 10 November\?$/);
  });

  it("is so in German Outlook", async () => {
    const quoted =
      "Von: Bob <bob@people.test>\nGesendet: Montag, 2. November 2026 10:00\nAn: Ada <ada@people.test>\nBetreff: Termine\n\nDienstag, 10. November?";
    const own = "Bitte eine Tabelle daraus.\n\n-- \nAda Lovelace";
    const event = await say(`${own}\n\n${quoted}`, { subject: "AW: Termine", references: ["<t.1@people.test>"] });
    assert.equal(
      textOf(event),
      `Subject: AW: Termine\n\nBitte eine Tabelle daraus.\n\n${quoted}\n\n[signature left out]`,
    );
  });

  it("says its subject once", async () => {
    const references = ["<once.1@people.test>"];
    const first = await say("A table, please.", { subject: "Fwd: Once", references });
    assert.equal(textOf(first), "Subject: Fwd: Once\n\nA table, please.");
    const second = await say("And a sum.", {
      subject: "Re: Once",
      references: [...references, messageOf(first).messageId],
    });
    assert.equal(textOf(second), "And a sum.");
  });

  it("leaves out what it quotes once a mail of ours stands in the thread", async () => {
    const first = await say("A table, please.", { references: ["<ours.1@people.test>"] });
    const sent = await stage.adapter.send(answerTo(first, "Which dates?"), never);
    const references = ["<ours.1@people.test>", messageOf(first).messageId, sent.messageId];
    const event = await say(`All.\nEven these.\n\n${attribution}\n> Tuesday?`, {
      subject: "Re: Ours",
      references,
      inReplyTo: sent.messageId,
    });
    assert.equal(textOf(event), "All.\nEven these.\n\n[earlier messages left out]");
  });

  it("brings the newest of a long history, and the whole as a file", async () => {
    const line = "> Tuesday or Friday, all the same to me\n";
    const event = await say(`A table, please.\n\n${attribution}\n> newest\n${line.repeat(1_000)}> oldest`);
    const text = textOf(event);
    const end = "\n\n[earlier messages are cut here; the whole stands in whole-mail.txt]";
    assert.ok(text.endsWith(`${line}${end}`.replace("\n\n\n", "\n\n")), text.slice(-200));
    assert.match(text, /> newest\n/);
    assert.ok(text.length > 19_000 && text.length < 20_300, String(text.length));
    const [file] = filesOf(event);
    assert.equal(file?.name, "whole-mail.txt");
    assert.match(await new Response(await stage.adapter.openMedia?.(file!.ref, never)).text(), /> oldest/);
  });

  it("is no part of a command", async () => {
    const event = await say(`/stop\n\n${attribution}\n> Tuesday?`);
    assert.equal(textOf(event), "/stop");
    assert.doesNotMatch(textOf(event), left);
  });
});

describe("a mail that is longer than a message may be", () => {
  it("is cut, and stands as a file as a whole", async () => {
    await using stage = await startStage();
    const long = `${"All the numbers of the year, one by one.\n".repeat(5_000)}the end`;
    const event = await stage.next(() => void stage.server.say(ada.from, long, { subject: "Fwd: Numbers" }));
    const text = textOf(event);
    assert.ok(text.length < 90_000, String(text.length));
    assert.ok(
      text.endsWith("one.\n\n[the text is cut here because it is too long; more of it stands in whole-mail.txt]"),
    );
    const [file] = filesOf(event);
    assert.match(await new Response(await stage.adapter.openMedia?.(file!.ref, never)).text(), /the end\s*$/);
  });
});
