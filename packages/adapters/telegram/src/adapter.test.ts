import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { brandAs, isGatewayError, type MessageId, systemClock } from "@talaria/protocol";
import { adapterDeps, codeOf, hurriedClock, RecordingHost } from "@talaria/testkit";
import { createTelegramAdapter } from "./adapter.ts";
import { telegramConfigSchema } from "./config.ts";
import { startTelegramServer } from "./emulator/index.ts";
import { accountId, attached, conversation, files, message, open, signal } from "./testing/world.ts";

describe("sending", () => {
  it("answers a message, also one that is gone", async () => {
    await using world = await open();
    const { adapter, chat, ada } = world;
    const { messageId } = chat.say(ada, "question");
    await adapter.send(message(chat.id, "**yes**", { replyTo: brandAs<MessageId>(String(messageId)) }), signal);
    await adapter.send(message(chat.id, "late", { replyTo: brandAs<MessageId>("999") }), signal);
    const [first, second] = chat.messages().slice(-2);
    assert.deepEqual([first?.html, first?.replyTo], ["<b>yes</b>", messageId]);
    assert.deepEqual([second?.text, second?.replyTo], ["late", undefined]);
  });

  it("sends without formatting when Telegram cannot read it, and still once", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    const description = "Bad Request: can't parse entities: whatever";
    server.fail("sendMessage", { kind: "answer", code: 400, description, effect: "none" });
    await adapter.send(message(chat.id, "**a < b**"), signal);
    assert.deepEqual(
      chat.messages().map(({ html }) => html),
      ["a &lt; b"],
    );
  });

  it("lets Telegram fetch no address of an answer: none has a preview, edited or unformatted either", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    const link = "[see](https://evil.example/?d=secret)";
    const { messageId } = await adapter.send(message(chat.id, link), signal);
    const description = "Bad Request: can't parse entities: whatever";
    server.fail("sendMessage", { kind: "answer", code: 400, description, effect: "none" });
    await adapter.send(message(chat.id, link), signal);
    await adapter.edit?.({ conversation: conversation(chat.id), messageId }, `${link} and more`, signal);
    const calls = ["sendMessage", "editMessageText"].flatMap((method) => server.calls.of(method));
    assert.ok(calls.length >= 4);
    for (const { parameters } of calls) assert.deepEqual(parameters.link_preview_options, { is_disabled: true });
  });

  it("uploads pictures as photos and everything else as files", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    await adapter.send(message(chat.id, "*see*", { attachments: attached("picture", "image/png") }), signal);
    await adapter.send(message(chat.id, "", { attachments: attached("small", "text/plain", 'x"\r\ny.txt') }), signal);
    await adapter.send(message(chat.id, "", { attachments: attached("large", "image/png") }), signal);
    const sent = chat.messages();
    assert.deepEqual(
      sent.map(({ media }) => media?.kind),
      ["photo", "document", "document"],
    );
    assert.equal(sent[0]?.html, "<i>see</i>");
    assert.deepEqual(Buffer.from(sent[0]?.media?.bytes ?? []), Buffer.from(files.picture ?? []));
    assert.equal(sent[1]?.media?.name, "x_ y.txt");
  });

  it("sends a picture that Telegram cannot read as a file", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    await adapter.send(message(chat.id, "odd", { attachments: attached("small", "image/png") }), signal);
    assert.deepEqual(
      chat.messages().map(({ media, text }) => [media?.kind, text]),
      [["document", "odd"]],
    );
  });

  it("refuses what is not one message", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    const eleven = Array.from({ length: 11 }, () => attached("small", "text/plain")).flat();
    const two = eleven.slice(0, 2);
    const choices = [{ id: "yes", label: "Yes" }];
    assert.equal(await codeOf(adapter.send(message(chat.id, "x".repeat(4097)), signal)), "too_large");
    assert.equal(await codeOf(adapter.send(message(chat.id, " \n"), signal)), "invalid_request");
    const tooMany = message(chat.id, "", { attachments: eleven });
    assert.equal(await codeOf(adapter.send(tooMany, signal)), "invalid_request");
    const withButtons = message(chat.id, "", { attachments: two, choices });
    assert.equal(await codeOf(adapter.send(withButtons, signal)), "invalid_request");
    const caption = message(chat.id, "x".repeat(1025), { attachments: attached("small", "image/png") });
    assert.equal(await codeOf(adapter.send(caption, signal)), "too_large");
    assert.equal(await codeOf(adapter.send(message(5, "to nobody"), signal)), "not_found");
    assert.equal(chat.messages().length, 0);
  });

  it("knows that nothing was sent to a server that is not there", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    server.goOffline();
    await assert.rejects(adapter.send(message(chat.id, "x"), signal), (error) => isGatewayError(error, "unavailable"));
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const address = closed.address();
    const port = typeof address === "object" ? address?.port : 0;
    closed.close();
    await once(closed, "close");
    const config = telegramConfigSchema.parse({ token: "1:a", apiRoot: `http://127.0.0.1:${port}` });
    const lonely = createTelegramAdapter(config, adapterDeps({ id: accountId, clock: hurriedClock, files }));
    await assert.rejects(lonely.send(message(1, "x"), signal), { code: "unavailable", effect: "none" });
  });

  it("knows that nothing was sent when it was aborted before", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    await assert.rejects(adapter.send(message(chat.id, "x"), AbortSignal.abort()), { code: "aborted", effect: "none" });
  });

  it("edits, reacts, types and deletes", async () => {
    await using world = await open();
    const { adapter, chat, ada } = world;
    const { messageId } = chat.say(ada, "hi");
    const said = { conversation: conversation(chat.id), messageId: brandAs<MessageId>(String(messageId)) };
    await adapter.react?.(said, "👍", signal);
    assert.deepEqual([...(chat.messages()[0]?.reactions.values() ?? [])], [["👍"]]);
    await adapter.setTyping?.(said.conversation, signal);
    const sent = await adapter.send(message(chat.id, "a"), signal);
    await adapter.edit?.(sent, "`b`", signal);
    assert.equal(chat.messages().at(-1)?.html, "<code>b</code>");
    await adapter.delete?.(sent, signal);
    assert.equal(chat.messages().at(-1)?.deleted, true);
    assert.equal(await codeOf(adapter.edit?.(sent, "c", signal) ?? Promise.resolve()), "not_found");
  });
});

describe("a growing reply", () => {
  it("is shown as a draft and ends as one message", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    const target = { conversation: conversation(chat.id) };
    assert.ok(adapter.capabilitiesFor?.(target.conversation).view);
    const view = await adapter.openReply?.(target, signal);
    assert.equal(chat.visibleDraft()?.text, "");
    await view?.update("thinking **hard**", signal);
    assert.equal(chat.visibleDraft()?.text, "thinking hard");
    await view?.finish(message(chat.id, "done"), signal);
    await systemClock.sleep(50);
    assert.equal(chat.visibleDraft(), undefined, "a refresh came after the final message");
    assert.deepEqual(
      chat.messages().map(({ text }) => text),
      ["done"],
    );
  });

  it("stays shown while nothing new comes, and no longer than it is open", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    const view = await adapter.openReply?.({ conversation: conversation(chat.id) }, signal);
    await view?.update("slow", signal);
    const texts = () => server.calls.of("sendMessageDraft").map(({ parameters }) => parameters.text);
    // The empty one may have been renewed before there was a text.
    const renewed = () => texts().slice(texts().indexOf("slow"));
    while (renewed().length < 5) await systemClock.sleep(5);
    assert.deepEqual(new Set(renewed()), new Set(["slow"]));
    await view?.discard(signal);
    const shown = server.calls.count("sendMessageDraft");
    await systemClock.sleep(100);
    // One that was on its way when the view was closed may still arrive.
    assert.ok(server.calls.count("sendMessageDraft") <= shown + 1);
  });

  it("can be stopped by the person", async () => {
    await using world = await open();
    const { adapter, chat, host } = world;
    const view = await adapter.openReply?.({ conversation: conversation(chat.id) }, signal);
    await view?.update("long story", signal);
    chat.stopGeneration();
    const [event] = await host.recorded(1);
    assert.ok(event?.type === "action.invoked");
    assert.equal(event.actionId, "stop");
    await view?.discard(signal);
  });

  for (const [code, description] of [
    [404, "Not Found"],
    [400, "Bad Request: TEXTDRAFT_PEER_INVALID"],
  ] as const)
    it(`falls back to edits when the server answers drafts with ${code}`, async () => {
      await using world = await open();
      const { server, adapter, chat } = world;
      const target = { conversation: conversation(chat.id) };
      server.fail("sendMessageDraft", { kind: "answer", code, description, effect: "none" });
      assert.equal(await codeOf(adapter.openReply?.(target, signal) ?? Promise.resolve()), "unsupported");
      const { view, edit } = adapter.capabilitiesFor?.(target.conversation) ?? adapter.capabilities;
      assert.deepEqual([view, edit], [undefined, { minIntervalMs: 1_100 }]);
    });

  it("goes by edits in groups, and slowly", async () => {
    await using world = await open();
    const { adapter } = world;
    const { view, edit } = adapter.capabilitiesFor?.(conversation(-5)) ?? adapter.capabilities;
    assert.deepEqual([view, edit], [undefined, { minIntervalMs: 3_100 }]);
    assert.equal(
      await codeOf(adapter.openReply?.({ conversation: conversation(-5) }, signal) ?? Promise.resolve()),
      "unsupported",
    );
  });
});

describe("receiving", () => {
  it("answers a button press after it was recorded", async () => {
    await using world = await open();
    const { server, adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "card"), signal);
    const card = { ...chat.asWire(Number(sent.messageId)) };
    server.raw({ callback_query: { id: "77", from: ada, message: card, data: "approve", chat_instance: "1" } });
    const [event] = await host.recorded(1);
    assert.equal(event?.type, "action.invoked");
    while (server.calls.count("answerCallbackQuery") === 0) await systemClock.sleep(5);
  });

  it("lets one chat's refused message not hold up another chat", async () => {
    await using world = await open();
    const { server, chat, ada, host } = world;
    const bob = server.user({ first_name: "Bob" });
    host.refuse(1);
    chat.say(ada, "refused first");
    chat.say(ada, "second");
    server.privateChat(bob).say(bob, "other chat");
    const texts = () => host.events.map((event) => ("message" in event ? event.message.markdown : ""));
    await host.until(() => texts().includes("second"), "everything is recorded");
    assert.equal(texts()[0], "other chat");
    assert.deepEqual([...new Set(texts())], ["other chat", "refused first", "second"]);
  });

  it("keeps trying and says so when another process polls the same bot", async () => {
    await using world = await open();
    const { server, host, chat, ada } = world;
    await host.until(() => server.calls.count("getUpdates") === 2, "it waits for updates");
    await fetch(`${server.apiRoot}/bot${server.token}/getUpdates`);
    await host.until(
      () => host.states.some((state) => state.status === "reconnecting" && state.code === "conflict"),
      "it reports the conflict",
    );
    chat.say(ada, "still here");
    await host.recorded(1);
  });

  it("needs an operator when the token is refused", async () => {
    const server = await startTelegramServer();
    const config = telegramConfigSchema.parse({ token: "9:wrong", apiRoot: server.apiRoot });
    const adapter = createTelegramAdapter(config, adapterDeps({ id: accountId, clock: hurriedClock, files }));
    const host = new RecordingHost(1_000);
    assert.equal(await codeOf(adapter.start(host)), "unauthorized");
    assert.deepEqual(
      host.states.map(({ status }) => status),
      ["connecting", "needs-operator"],
    );
    assert.ok(!JSON.stringify(host.states).includes("wrong"));
    await adapter.stop();
    await server.stop();
  });

  it("starts although the server is down, and connects when it is back", async () => {
    const server = await startTelegramServer();
    server.goOffline();
    const config = telegramConfigSchema.parse({ token: server.token, apiRoot: server.apiRoot });
    const adapter = createTelegramAdapter(config, adapterDeps({ id: accountId, clock: hurriedClock, files }));
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    assert.equal(host.states.at(-1)?.status, "reconnecting");
    server.goOnline();
    await host.until(() => host.states.at(-1)?.status === "connected", "it is connected");
    await adapter.stop();
    await server.stop();
  });

  it("starts again after a stop", async () => {
    await using world = await open();
    const { adapter, host, chat, ada } = world;
    await adapter.stop();
    await adapter.start(host);
    chat.say(ada, "again");
    await host.recorded(1);
  });
});
