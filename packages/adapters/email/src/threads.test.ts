import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { messageOf, RecordingHost } from "@talaria/testkit";
import { answerTo, never, startStage, textOf } from "./testing/stage.ts";
import { ada, conversation } from "./testing/world.ts";

describe("threads of mail", () => {
  it("a mail begins a thread, and answers stand in it with full references", async () => {
    await using stage = await startStage();
    const { server, adapter } = stage;
    const first = await stage.next(() => void server.say(ada.from, "hello", { subject: "Plans for Monday" }));
    const root = messageOf(first).messageId;
    assert.equal(first.conversation.threadId, root);
    assert.equal(first.conversation.title, "Plans for Monday");
    assert.equal(textOf(first), "Subject: Plans for Monday\n\nhello");
    const sent = await adapter.send(answerTo(first, "good morning"), never);
    const [mail] = server.sent();
    assert.equal(mail?.messageId, sent.messageId);
    assert.equal(mail?.header("in-reply-to"), root);
    assert.equal(mail?.header("references"), root);
    assert.equal(mail?.subject, "Re: Plans for Monday");

    const second = await stage.next(
      () =>
        void server.say(ada.from, "and then?", {
          subject: "Re: Plans for Monday",
          inReplyTo: sent.messageId,
          references: [root, sent.messageId],
        }),
    );
    assert.equal(second.conversation.threadId, root);
    assert.equal(messageOf(second).repliesToSelf, true);
    assert.equal(messageOf(second).replyTo, sent.messageId);
    assert.equal(textOf(second), "and then?");
    await adapter.send(answerTo(second, "then Tuesday"), never);
    const last = server.sent().at(-1);
    assert.equal(last?.header("references"), `${root} ${sent.messageId} ${messageOf(second).messageId}`);
    assert.equal(last?.subject, "Re: Plans for Monday");
  });

  it("an answer without References finds its thread by the mail it answers, also after a restart", async () => {
    await using stage = await startStage();
    const { server, adapter, make } = stage;
    const first = await stage.next(() => void server.say(ada.from, "hello"));
    const between = await stage.next(
      () => void server.say(ada.from, "more", { references: [messageOf(first).messageId] }),
    );
    const sent = await adapter.send(answerTo(between, "yes"), never);
    await stage.host.until(() => server.inbox.mails.every(({ flags }) => flags.has("\\Seen")), "all is settled");
    await adapter.stop();
    const again = make();
    const host = new RecordingHost(30_000);
    await again.start(host);
    server.say(ada.from, "only In-Reply-To", { inReplyTo: sent.messageId });
    const [event] = await host.recorded(1);
    assert.equal(event?.conversation.threadId, first.conversation.threadId);
    await again.stop();
  });

  it("a mail of ours begins a thread that its answer joins", async () => {
    await using stage = await startStage();
    const { server, adapter } = stage;
    const notice = {
      ...answerTo(await stage.next(() => void server.say(ada.from, "x")), "news"),
      conversation: conversation({ title: "News" }),
    };
    const { replyTo: _, ...message } = notice;
    const sent = await adapter.send(message, never);
    assert.equal(server.sent().at(-1)?.header("in-reply-to"), "");
    assert.equal(server.sent().at(-1)?.subject, "News");
    const event = await stage.next(() => void server.say(ada.from, "thanks", { inReplyTo: sent.messageId }));
    assert.equal(event.conversation.threadId, sent.messageId);
    assert.equal(messageOf(event).repliesToSelf, true);
  });

  it("the same delivery key gives the same Message-ID, another one another", async () => {
    await using stage = await startStage();
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    const ids = [];
    for (const key of ["one", "one", "two"])
      ids.push((await stage.adapter.send(answerTo(event, "text", key), never)).messageId);
    assert.equal(ids[0], ids[1]);
    assert.notEqual(ids[0], ids[2]);
  });

  it("a mail without a Message-ID has one of its own, always the same, and nobody is asked to thread by it", async () => {
    await using stage = await startStage();
    const { server } = stage;
    const raw = `${server.vouchFor(ada.from).join("\r\n")}\r\nFrom: ${ada.from}\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\nhello`;
    const first = await stage.next(() => void server.deliver(raw));
    const second = await stage.next(() => void server.deliver(raw));
    assert.equal(first.id, second.id);
    await stage.adapter.send(answerTo(first, "hi"), never);
    assert.equal(server.sent().at(-1)?.header("in-reply-to"), "");
    assert.equal(server.sent().at(-1)?.subject, "Re: (no subject)");
  });

  it("nobody gets into somebody else's by naming a mail of it", async () => {
    await using stage = await startStage();
    const { server, adapter } = stage;
    const first = await stage.next(() => void server.say(ada.from, "my pay", { subject: "Pay" }));
    const sent = await adapter.send(answerTo(first, "4,200"), never);
    const { replyTo: _, ...message } = answerTo(first, "news", "news");
    const notice = await adapter.send({ ...message, conversation: conversation({ title: "News" }) }, never);
    const quoted = "On Mon, 2 Nov 2026 at 10:00, Bob <bob@people.test> wrote:\n> Tuesday?";
    for (const [n, own] of [sent.messageId, notice.messageId].entries()) {
      const references = [messageOf(first).messageId, own];
      const event = await stage.next(
        () =>
          void server.say("Mallory <mallory@people.test>", `What was said before?\nAll.\n\n${quoted}`, {
            subject: `Re: Pay ${n}`,
            references,
            inReplyTo: own,
          }),
      );
      assert.equal(event.conversation.conversationId, "mallory@people.test");
      assert.equal(event.sender.userId, "mallory@people.test");
      assert.equal(messageOf(event).repliesToSelf, false);
      // What the session doesn't have is not left out.
      assert.match(textOf(event), /Tuesday\?/);
      await adapter.send(answerTo(event, "nothing", `m${n}`), never);
      assert.equal(server.sent().at(-1)?.header("to"), "mallory@people.test");
    }
    const again = await stage.next(() => void server.say(ada.from, "thanks", { inReplyTo: sent.messageId }));
    assert.equal(again.conversation.threadId, first.conversation.threadId);
    assert.equal(messageOf(again).repliesToSelf, true);
  });

  it("a subject alone is the text, and a command stays a command", async () => {
    await using stage = await startStage();
    const { server } = stage;
    assert.equal(textOf(await stage.next(() => void server.say(ada.from, "", { subject: "/stop" }))), "/stop");
    assert.equal(
      textOf(
        await stage.next(() => void server.say(ada.from, "/new\n\n-- \nAda", { subject: "Re: x", cc: "b@c.test" })),
      ),
      "/new",
    );
  });
});
