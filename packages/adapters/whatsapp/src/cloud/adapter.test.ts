import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type Choice, type DeliveryKey, type MediaRef, type MessageId, type UserId } from "@talaria/protocol";
import { RecordingHost } from "@talaria/testkit";
import { conversation, failureOf, makeCloudWorld, message, openCloudWorld } from "../testing/cloud-world.ts";
import { textBody } from "./outbound.ts";

const { signal } = new AbortController();
const bytes = Buffer.from("some bytes");
const ref = brandAs<MediaRef>("file-1");

describe("what comes in from the cloud api", () => {
  it("takes a picture, a voice note, a sticker and a document, each with its bytes", async () => {
    await using world = await openCloudWorld();
    const { ada, host, adapter } = world;
    ada.send({ kind: "image", bytes, mimeType: "image/jpeg", caption: "my dog" });
    ada.send({ kind: "audio", bytes, mimeType: "audio/ogg; codecs=opus", voice: true });
    ada.send({ kind: "sticker", bytes, mimeType: "image/webp" });
    ada.send({ kind: "document", bytes, mimeType: "text/csv", name: "../a\u202Eb.csv" });
    const events = await host.recorded(4);
    const seen = events.map((event) => event.type === "message.created" && event.message);
    assert.deepEqual(
      seen.map((one) => one && [one.markdown, one.attachments.map(({ ref: _, ...rest }) => rest)]),
      [
        ["my dog", [{ kind: "image", mimeType: "image/jpeg" }]],
        ["", [{ kind: "audio", mimeType: "audio/ogg", voice: true }]],
        ["", [{ kind: "image", mimeType: "image/webp" }]],
        ["", [{ kind: "file", mimeType: "text/csv", name: "../ab.csv" }]],
      ],
    );
    const [attachment] = (seen[1] || { attachments: [] }).attachments;
    assert.ok(attachment && adapter.openMedia);
    const stream = await adapter.openMedia(attachment.ref, signal);
    assert.deepEqual(Buffer.from(await new Response(stream).bytes()), bytes);
  });

  it("asks for a file's address each time, so that an old one does no harm", async () => {
    let now = Date.now();
    await using world = await openCloudWorld({ now: () => now });
    world.ada.send({ kind: "image", bytes, mimeType: "image/png" });
    const [event] = await world.host.recorded(1);
    const [attachment] = event?.type === "message.created" ? event.message.attachments : [];
    assert.ok(attachment);
    const open = async () => new Response(await world.adapter.openMedia?.(attachment.ref, signal)).bytes();
    await open();
    now += 10 * 60_000;
    assert.deepEqual(Buffer.from(await open()), bytes);
    now += 31 * 24 * 60 * 60_000;
    assert.equal((await failureOf(open())).code, "not_found");
    const odd = world.adapter.openMedia?.(brandAs<MediaRef>("../messages"), signal) ?? Promise.resolve();
    assert.equal((await failureOf(odd)).code, "not_found");
  });

  it("knows what is quoted, theirs and ours, and that an answer to ours is one", async () => {
    await using world = await openCloudWorld();
    const { ada, host, adapter } = world;
    const first = ada.say("the first");
    await host.recorded(1);
    const ours = await adapter.send(message(ada.id, "our **answer**", { replyTo: brandAs(first) }), signal);
    assert.equal(ada.answers()[0]?.replyTo, first);
    ada.say("about mine", { replyTo: first });
    ada.say("about yours", { replyTo: ours.messageId });
    ada.say("about something old", { replyTo: "wamid.forgotten" });
    const old = { userId: brandAs<UserId>(ada.id), displayName: "Ada", markdown: "from before the restart" };
    const said = { userId: brandAs<UserId>("agent"), displayName: "", markdown: "said before it", own: true } as const;
    host.heard = async (_, id) => (id === "wamid.before" ? old : id === "wamid.ours" ? said : undefined);
    ada.say("about what is recorded", { replyTo: "wamid.before" });
    ada.say("about what was sent", { replyTo: "wamid.ours" });
    const messages = (await host.recorded(6)).map((event) => (event.type === "message.created" ? event.message : null));
    const unknown = "this answers an earlier message of this conversation, whose words are not known any more";
    assert.deepEqual([messages[3]?.quote?.fact, messages[5]?.quote?.displayName], [true, "you"]);
    assert.deepEqual(
      messages.slice(1).map((one) => [one?.quote?.markdown, one?.quote?.own, one?.repliesToSelf, one?.replyTo]),
      [
        ["the first", undefined, false, first],
        ["our **answer**", true, true, ours.messageId],
        [unknown, undefined, false, "wamid.forgotten"],
        ["from before the restart", undefined, false, "wamid.before"],
        ["said before it", true, false, "wamid.ours"],
      ],
    );
  });

  it("knows the file of a quoted message", async () => {
    await using world = await openCloudWorld();
    const { ada, host } = world;
    const first = ada.send({ kind: "image", bytes: Buffer.from("picture"), mimeType: "image/png" });
    await host.recorded(1);
    ada.say("what is on it?", { replyTo: first });
    const [picture, question] = (await host.recorded(2)).map((event) =>
      event.type === "message.created" ? event.message : undefined,
    );
    assert.equal(picture?.attachments.length, 1);
    assert.deepEqual([question?.quote?.markdown, question?.quote?.attachments], ["", picture?.attachments]);
  });

  it("takes reactions, their end, and the pressing of a button and a row", async () => {
    await using world = await openCloudWorld();
    const { ada, host, adapter } = world;
    ada.say("hi");
    const choices: Choice[] = [
      { id: "yes", label: "Yes" },
      { id: "no", label: "No" },
    ];
    const few = await adapter.send(message(ada.id, "Shall I?", { choices }), signal);
    const long = [...choices, { id: "later", label: "Ask me again tomorrow morning" }];
    const many = await adapter.send(message(ada.id, "And this?", { choices: long }), signal);
    ada.react(few.messageId, "👍");
    ada.react(few.messageId, "");
    ada.press(few.messageId, "No");
    ada.press(many.messageId, "Ask me again tomorrow m…");
    const events = await host.recorded(5);
    assert.deepEqual(
      events.slice(1).map((event) => {
        const { type } = event;
        if (type === "reaction.added" || type === "reaction.removed") return [type, event.messageId, event.emoji];
        return type === "action.invoked" ? [type, event.messageId, event.actionId] : [type];
      }),
      [
        ["reaction.added", few.messageId, "👍"],
        ["reaction.removed", few.messageId, ""],
        ["action.invoked", few.messageId, "no"],
        ["action.invoked", many.messageId, "later"],
      ],
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, 5);
    const [buttons, list] = ada.answers();
    assert.equal(buttons?.choiceForm, "buttons");
    assert.equal(list?.choiceForm, "list");
    assert.equal(list?.choices?.[2]?.description, "Ask me again tomorrow morning");
  });

  it("shows what text cannot hold as a short line, and leaves out what is not for the agent", async () => {
    await using world = await openCloudWorld();
    const { ada, host, server } = world;
    const silent = ada.raw({ type: "system", system: { body: "Ada changed her number", type: "user_changed_number" } });
    ada.raw({ type: "location", location: { latitude: 52.5, longitude: 13.4, name: "Cafe [Ada]" } });
    ada.raw({ type: "contacts", contacts: [{ name: { formatted_name: "Bob" }, phones: [{ phone: "+1 2" }] }] });
    ada.raw({ type: "unsupported", errors: [{ code: 131051, title: "Message type unknown" }] });
    ada.raw({ type: "hologram", hologram: {} });
    const events = await host.recorded(4);
    assert.deepEqual(
      events.map((event) => event.type === "message.created" && event.message.markdown),
      [
        "[location: 52.5, 13.4, Cafe Ada]",
        "[contact: Bob, +1 2]",
        "[a message that WhatsApp does not pass on]",
        "[a message of the type hologram, which this gateway cannot read]",
      ],
    );
    assert.ok(server.isDelivered(silent));
  });

  it("knows a person who hides their number by the id that WhatsApp made for us, and writes back to it", async () => {
    await using world = await openCloudWorld();
    const shy = world.server.person("Shy", { hidesNumber: true });
    shy.say("hello");
    const [event] = await world.host.recorded(1);
    assert.equal(event?.sender.userId, shy.scopedId);
    assert.equal(event?.sender.displayName, "Shy");
    await world.adapter.send(message(shy.scopedId, "hello back"), signal);
    assert.equal(shy.answers()[0]?.text, "hello back");
  });

  it("tells what became of a message: delivered, read, failed with a reason", async () => {
    await using world = await openCloudWorld();
    const { ada, host, adapter } = world;
    ada.say("hi");
    const { messageId } = await adapter.send(message(ada.id, "hello"), signal);
    ada.read();
    ada.status(messageId, "failed", { code: 131047, details: "Re-engagement message" });
    await host.until(() => host.receipts.length === 3, "three receipts");
    assert.deepEqual(
      host.receipts.map((receipt) => [receipt.messageId, receipt.status]),
      ["delivered", "read", "failed"].map((status) => [messageId, status]),
    );
    assert.match(host.receipts[2]?.reason ?? "", /24-hour window.*write first/s);
    assert.equal(host.receipts[0]?.conversation.conversationId, ada.id);
  });
});

describe("what goes out to the cloud api", () => {
  for (const [name, mimeType, caption, kind, stored] of [
    ["a picture", "image/png", "look", "image", "image/png"],
    ["a film", "video/mp4", "look", "video", "video/mp4"],
    ["a sound without words", "audio/mpeg", "", "audio", "audio/mpeg"],
    ["a sound with words as a document", "audio/mpeg", "listen", "document", "audio/mpeg"],
    ["a table of values as a text that keeps its name", "text/csv", "", "document", "text/plain"],
    ["a document", "application/pdf", "read", "document", "application/pdf"],
  ] as const)
    it(`sends ${name}`, async () => {
      await using world = await openCloudWorld({ deps: { files: { [ref]: bytes } } });
      const { ada, adapter } = world;
      ada.say("hi");
      const attachments = [{ mimeType, name: "numbers.csv", ref }];
      await adapter.send(message(ada.id, caption, { attachments }), signal);
      const [shown] = ada.answers();
      assert.equal(shown?.text, caption);
      assert.equal(shown?.file?.kind, kind);
      assert.equal(shown?.file?.mimeType, stored);
      assert.deepEqual(shown?.file?.bytes, bytes);
      if (kind === "document") assert.equal(shown?.file?.name, "numbers.csv");
    });

  it("sends a recording of speech as a voice note, and a picture too large for one as a document", async () => {
    const large = Buffer.alloc(6 * 1024 * 1024);
    await using world = await openCloudWorld({ deps: { files: { [ref]: bytes, large } } });
    const { ada, adapter } = world;
    ada.say("hi");
    const speech = [{ mimeType: "audio/ogg; codecs=opus", name: "speech.ogg", ref }];
    const picture = [{ mimeType: "image/jpeg", name: "big.jpg", ref: brandAs<MediaRef>("large") }];
    await adapter.send(message(ada.id, "", { attachments: speech }), signal);
    await adapter.send(message(ada.id, "", { attachments: picture }), signal);
    assert.deepEqual(
      ada.answers().map(({ file }) => [file?.kind, file?.voice]),
      [
        ["audio", true],
        ["document", false],
      ],
    );
  });

  it("refuses what WhatsApp would not take, and nothing is shown", async () => {
    await using world = await openCloudWorld({ deps: { files: { [ref]: bytes } } });
    const { ada, adapter } = world;
    ada.say("hi");
    const file = (mimeType: string) => ({ mimeType, name: "f", ref });
    const choices = [{ id: "a", label: "A" }];
    const group = { ...conversation("120363000000000000"), kind: "group" } as const;
    const cases = [
      [message(ada.id, "", { attachments: [file("application/zip")] }), "unsupported"],
      [message(ada.id, "", { attachments: [file("image/png"), file("image/png")] }), "invalid_request"],
      [message(ada.id, "pick", { attachments: [file("image/png")], choices }), "invalid_request"],
      [message(ada.id, " \n"), "invalid_request"],
      [message(ada.id, "x".repeat(4_097)), "too_large"],
      [message(ada.id, "x".repeat(1_025), { attachments: [file("image/png")] }), "too_large"],
      [message(ada.id, "hi", { conversation: group }), "unsupported"],
      [message(ada.id, "", { attachments: [{ ...file("image/png"), ref: brandAs("gone") }] }), "not_found"],
      [message("4915559999999", "hi"), "forbidden"],
    ] as const;
    for (const [outbound, code] of cases) {
      const error = await failureOf(adapter.send(outbound, signal));
      assert.equal(error.code, code, error.message);
      assert.equal(error.effect, "none");
    }
    assert.deepEqual(ada.answers(), []);
  });

  it("says what to do when the 24-hour window is closed", async () => {
    let now = Date.now();
    await using world = await openCloudWorld({ now: () => now });
    const { ada, adapter } = world;
    ada.say("hi");
    now += 24 * 60 * 60_000 + 1;
    const error = await failureOf(adapter.send(message(ada.id, "late"), signal));
    assert.equal(error.code, "forbidden");
    assert.equal(error.effect, "none");
    assert.match(error.message, /24-hour window is closed.*has to write first.*template/s);
  });

  it("meets the limit per person as a rate limit with a delay", async () => {
    await using world = await openCloudWorld({ limits: { pairBurst: 2 } });
    const { ada, adapter } = world;
    ada.say("hi");
    for (const text of ["one", "two"]) await adapter.send(message(ada.id, text), signal);
    const error = await failureOf(adapter.send(message(ada.id, "three"), signal));
    assert.equal(error.code, "rate_limited");
    assert.equal(error.retryAfterMs, 6_000);
  });

  for (const [code, expected] of [
    [80007, "rate_limited"],
    [4, "rate_limited"],
    [131048, "rate_limited"],
    [190, "unauthorized"],
    [10, "forbidden"],
    [368, "forbidden"],
    [131030, "forbidden"],
    [131026, "forbidden"],
    [100, "invalid_request"],
    [131000, "unavailable"],
    [2, "unavailable"],
  ] as const)
    it(`reads error ${code} as ${expected}`, async () => {
      await using world = await openCloudWorld();
      world.server.fail("send", { kind: "error", code, effect: "none" });
      const error = await failureOf(world.adapter.send(message(world.ada.id, "hi"), signal));
      assert.equal(error.code, expected);
      assert.equal(error.details.platformCode, code);
      assert.equal((error.retryAfterMs ?? 0) > 0, expected === "rate_limited");
      assert.doesNotMatch(error.message, new RegExp(world.server.accessToken));
    });

  it("takes a proxy's page for an answer that may have come after the effect", async () => {
    await using world = await openCloudWorld();
    world.server.fail("send", { kind: "answer", status: 502, body: "<h1>Bad Gateway</h1>", effect: "done" });
    world.ada.say("hi");
    const error = await failureOf(world.adapter.send(message(world.ada.id, "hi"), signal));
    assert.deepEqual([error.code, error.effect], ["unavailable", "unknown"]);
    assert.equal(world.ada.answers().length, 1);
  });

  it("has done nothing when the upload breaks", async () => {
    await using world = await openCloudWorld({ deps: { files: { [ref]: bytes } } });
    world.server.fail("upload", { kind: "drop", effect: "done" });
    const attachments = [{ mimeType: "image/png", name: "f", ref }];
    const error = await failureOf(world.adapter.send(message(world.ada.id, "", { attachments }), signal));
    assert.deepEqual([error.code, error.effect], ["unavailable", "none"]);
  });

  it("has no address of an answer fetched for a preview", () => {
    const { text } = textBody(message("491700000001", "https://evil.example/?d=secret")) as { text: object };
    assert.deepEqual(text, { body: "https://evil.example/?d=secret", preview_url: false });
  });

  it("learns from a status which message a lost answer was about", async () => {
    await using world = await openCloudWorld();
    const { ada, adapter, host, server } = world;
    ada.say("hi");
    server.fail("send", { kind: "drop", effect: "done" });
    const outbound = message(ada.id, "did it arrive?", { deliveryKey: brandAs<DeliveryKey>("lost-1") });
    assert.equal((await failureOf(adapter.send(outbound, signal))).effect, "unknown");
    await host.until(() => host.receipts.length === 1, "its receipt");
    assert.equal((await adapter.findSent?.(outbound, signal))?.messageId, ada.answers()[0]?.id);
    assert.equal(await adapter.findSent?.(message(ada.id, "never sent"), signal), undefined);
  });

  it("reacts, takes it back, and types below the newest message", async () => {
    await using world = await openCloudWorld();
    const { ada, adapter, host } = world;
    await adapter.setTyping?.(conversation(ada.id), signal);
    assert.deepEqual(ada.typing(), []);
    ada.say("older");
    const newest = ada.say("newer");
    await host.recorded(2);
    await host.until(() => world.server.isDelivered(newest), "the newest is taken");
    await adapter.setTyping?.(conversation(ada.id), signal);
    assert.deepEqual(
      ada.typing().map(({ messageId }) => messageId),
      [newest],
    );
    const place = { conversation: conversation(ada.id), messageId: brandAs<MessageId>(newest) };
    await adapter.react?.(place, "👀", signal);
    assert.equal(ada.messages().at(-1)?.reactions.business, "👀");
    await adapter.unreact?.(place, "👀", signal);
    assert.equal(ada.messages().at(-1)?.reactions.business, undefined);
  });
});

describe("the state of an account of the cloud api", () => {
  it("needs an operator when the token is revoked, and says what to do", async () => {
    await using world = await openCloudWorld();
    const { ada, adapter, host, server } = world;
    ada.say("hi");
    server.revokeToken();
    assert.equal((await failureOf(adapter.send(message(ada.id, "hello"), signal))).code, "unauthorized");
    await host.until(() => host.states.at(-1)?.status === "needs-operator", "the operator is asked");
    assert.match(JSON.stringify(host.states.at(-1)), /access token.*permanent/);
    const late = ada.say("still here");
    await host.until(() => server.isDelivered(late), "what people write is still recorded");
  });

  for (const [name, settings, code] of [
    ["a number that Meta does not know", { phoneNumberId: "99999" }, "invalid_request"],
    ["a token that Meta does not know", { accessToken: "EAAsome-other-token-altogether" }, "unauthorized"],
  ] as const)
    it(`does not start with ${name}`, async () => {
      const { adapter, close } = await makeCloudWorld({ settings });
      const host = new RecordingHost(30_000);
      try {
        assert.equal((await failureOf(adapter.start(host))).code, code);
        assert.equal(host.states.at(-1)?.status, "needs-operator");
      } finally {
        await close();
      }
    });
});
