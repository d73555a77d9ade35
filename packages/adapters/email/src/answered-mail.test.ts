import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { InboundEvent, Quote } from "@talaria/protocol";
import { messageOf } from "@talaria/testkit";
import type { SayByMail } from "./emulator/index.ts";
import { answerTo, type MailStage, never, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const bob = "Bob Builder <bob@people.test>";
const eve = "Eve <eve@people.test>";
const picture = { name: "plan.png", type: "image/png", bytes: Buffer.from("picture") };

describe("a mail that answers what others have sent", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  const mail = (from: string, text: string, facts: SayByMail = {}): Promise<InboundEvent> =>
    stage.next(() => void stage.server.say(from, text, facts));
  /** Bob writes to the agent and to Ada. */
  const fromBob = (text: string, facts: SayByMail = {}) =>
    mail(bob, text, { to: `${stage.server.address}, ${ada.from}`, ...facts });
  const idOf = (event: InboundEvent) => messageOf(event).messageId;
  const quoteOf = (event: InboundEvent): Quote | undefined => messageOf(event).quote;

  it("has it as a quote: its sender, its words and its files", async () => {
    const said = await fromBob("the new plan", { subject: "Plan", files: [picture] });
    assert.equal(
      textOf(said),
      "Subject: Plan\n\nthe new plan\n\n[also sent to ada@people.test; an answer goes to the sender alone]",
    );
    const asked = await mail(ada.from, "what is on it?", { subject: "Re: Plan", inReplyTo: idOf(said) });
    assert.notEqual(asked.conversation.conversationId, said.conversation.conversationId);
    assert.deepEqual(quoteOf(asked), {
      userId: "bob@people.test",
      displayName: "Bob Builder",
      markdown: "Subject: Plan\n\nthe new plan",
      attachments: messageOf(said).attachments,
    });
    const [file] = quoteOf(asked)?.attachments ?? [];
    assert.ok(file !== undefined && stage.adapter.openMedia !== undefined);
    assert.equal(await new Response(await stage.adapter.openMedia(file.ref, never)).text(), "picture");
  });

  it("has its files alone where it quotes its words itself, however they are broken", async () => {
    const said = await fromBob("one two three\nfour five\n\nsix", { subject: "Words", files: [picture] });
    const asked = await mail(ada.from, "and?\n\nBob wrote:\n> one two\n> three four\n> five\n>\n> six\n", {
      inReplyTo: idOf(said),
    });
    assert.equal(quoteOf(asked)?.markdown, "");
    assert.equal(quoteOf(asked)?.attachments?.length, 1);
    const other = await mail(ada.from, "and?\n\nBob wrote:\n> one two\n> four five\n> six\n", {
      inReplyTo: idOf(said),
    });
    assert.match(quoteOf(other)?.markdown ?? "", /one two three/, "what it changed is no quote of it");
  });

  it("has no quote where it has every word of a mail without files", async () => {
    const said = await fromBob("only words");
    const asked = await mail(ada.from, "true?\n\n> only words", { inReplyTo: idOf(said) });
    assert.equal(quoteOf(asked), undefined);
  });

  it("finds the last mail of References that is known", async () => {
    const first = await fromBob("first");
    const second = await fromBob("second", { inReplyTo: idOf(first), references: [idOf(first)] });
    const asked = await mail(ada.from, "which?", {
      inReplyTo: "<never-here@people.test>",
      references: [idOf(first), idOf(second), "<never-here@people.test>"],
    });
    assert.equal(quoteOf(asked)?.markdown, "second");
  });

  it("shows a picture that came without a word, and who else has it", async () => {
    const said = await fromBob("", { subject: "Look", files: [picture] });
    assert.equal(textOf(said), "Look\n\n[also sent to ada@people.test; an answer goes to the sender alone]");
    const asked = await mail(ada.from, "what is it?", { inReplyTo: idOf(said) });
    assert.deepEqual([quoteOf(asked)?.markdown, quoteOf(asked)?.attachments?.length], ["Look", 1]);
    const nameless = await fromBob("", { files: [picture] });
    assert.match(textOf(nameless), /^\[also sent to ada@people\.test/);
    const asks = await mail(ada.from, "and this?", { inReplyTo: idOf(nameless) });
    assert.deepEqual([quoteOf(asks)?.markdown, quoteOf(asks)?.attachments?.length], ["", 1]);
  });

  it("says nothing of who else got a mail that says nothing, or a command", async () => {
    assert.equal(textOf(await fromBob("")), "");
    assert.equal(textOf(await fromBob("", { subject: "/stop" })), "/stop");
    assert.equal(textOf(await fromBob("/stop")), "/stop");
  });

  it("reveals nothing to whoever only names it", async () => {
    const secret = await mail(bob, "for you alone", { files: [picture] });
    const toAda = await fromBob("for Ada too");
    for (const id of [idOf(secret), idOf(toAda)]) {
      const forged = await mail(eve, "what does it say?", { inReplyTo: id, references: [id], cc: bob });
      assert.equal(quoteOf(forged), undefined);
    }
    assert.equal(quoteOf(await mail(ada.from, "and this?", { inReplyTo: idOf(secret) })), undefined);
    const byName = await mail(bob, "for another Ada", { to: '"ada@people.test" <ada@elsewhere.test>' });
    assert.equal(quoteOf(await mail(ada.from, "and this?", { inReplyTo: idOf(byName) })), undefined);
  });

  it("quotes nothing that its session has: its own mails, and ours", async () => {
    const said = await fromBob("hello both");
    const first = await mail(ada.from, "hello", { inReplyTo: idOf(said), references: [idOf(said)] });
    const second = await mail(ada.from, "more", {
      inReplyTo: idOf(first),
      references: [idOf(said), idOf(first)],
    });
    assert.equal(quoteOf(second), undefined);
    const { messageId } = await stage.adapter.send(answerTo(first, "good morning"), never);
    const third = await mail(ada.from, "thanks", { inReplyTo: messageId, references: [idOf(said), messageId] });
    assert.equal(messageOf(third).repliesToSelf, true);
    assert.equal(quoteOf(third), undefined);
  });
});

describe("a mail of a sender whom nobody has proven", () => {
  it("is shown nothing, even where such mail is taken", async () => {
    await using stage = await startStage({ unauthenticated: "accept" });
    const said = await stage.next(
      () => void stage.server.say(bob, "the plan", { to: `${stage.server.address}, ${ada.from}` }),
    );
    const { messageId } = messageOf(said);
    const ask = (authentic: boolean) =>
      stage.next(() => void stage.server.say(ada.from, "and?", { inReplyTo: messageId, authentic }));
    assert.equal(messageOf(await ask(false)).quote, undefined);
    assert.equal(messageOf(await ask(true)).quote?.markdown, "the plan");
  });
});
