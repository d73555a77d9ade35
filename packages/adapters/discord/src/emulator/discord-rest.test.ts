import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DMChannel, REST, Routes, type TextChannel, type ThreadChannel } from "discord.js";
import { startDiscordServer } from "./server.ts";
import { openWorld, refusalOf, until } from "./test-client.ts";

describe("messages over REST", () => {
  it("are sent, answered, edited, reacted to and deleted in a direct channel", async () => {
    await using world = await openWorld();
    const { server, ada, received, client } = world;
    const direct = server.direct(ada);
    direct.say(ada, "hello");
    await until(() => received.length === 1, "the message arrives");
    const sent = await received[0]!.reply({ content: "hi", failIfNotExists: false });
    await sent.edit("hi!");
    await sent.react("👍");
    await (client.channels.cache.get(direct.id) as DMChannel).sendTyping();
    const [seen] = direct.botMessages();
    assert.equal(seen?.text, "hi!");
    assert.deepEqual(seen?.history, ["hi"]);
    assert.equal(seen?.replyTo, received[0]!.id);
    assert.deepEqual([...(seen?.reactions.keys() ?? [])], ["👍"]);
    assert.equal(direct.typings().length, 1);
    await sent.delete();
    assert.deepEqual(direct.botMessages(), []);
  });

  it("carry files both ways", async () => {
    await using world = await openWorld();
    const { client, channel, ada, received } = world;
    const bytes = Buffer.from("three little bytes");
    channel.say(ada, "", { files: [{ bytes, name: "a b.txt", contentType: "text/plain" }] });
    await until(() => received.length === 1, "the file arrives");
    const attachment = received[0]!.attachments.first()!;
    assert.equal(await (await fetch(attachment.url)).text(), bytes.toString());
    assert.equal((await fetch(attachment.url.replace(/\?.*/, ""))).status, 404, "the link is signed");
    const target = client.channels.cache.get(channel.id) as TextChannel;
    await target.send({ files: [{ attachment: bytes, name: "out.txt" }] });
    assert.deepEqual(Buffer.from(channel.botMessages()[0]?.files[0]?.bytes ?? []), bytes);
  });

  it("are refused with Discord's codes", async () => {
    await using world = await openWorld();
    const { server, client, channel, ada, guild } = world;
    const { rest } = client;
    const post = (id: string, body: object) => refusalOf(rest.post(Routes.channelMessages(id), { body }));
    assert.equal(await post(channel.id, { content: "x".repeat(2_001) }), "400/50035");
    assert.equal(await post(channel.id, { content: " " }), "400/50006");
    assert.equal(await post(channel.id, { content: "x", nonce: "n".repeat(26) }), "400/50035");
    assert.equal(await post(channel.id, { content: "x", message_reference: { message_id: "1" } }), "400/50035");
    assert.equal(await post("123", { content: "x" }), "404/10003");
    assert.equal(await post(server.forum(guild, "f").id, { content: "x" }), "400/50008");
    const theirs = channel.say(ada, "mine");
    const place = Routes.channelMessage(channel.id, theirs);
    assert.equal(await refusalOf(rest.patch(place, { body: { content: "x" } })), "403/50005");
    assert.equal(await refusalOf(rest.get(Routes.channelMessage(channel.id, "1"))), "404/10008");
    const reaction = Routes.channelMessageOwnReaction(channel.id, theirs, encodeURIComponent("no emoji"));
    assert.equal(await refusalOf(rest.put(reaction)), "400/10014");
    channel.allow("read-only");
    assert.equal(await post(channel.id, { content: "x" }), "403/50013");
    channel.allow("hidden");
    assert.equal(await post(channel.id, { content: "x" }), "403/50001");
    const direct = server.direct(ada);
    direct.allow("blocked");
    assert.equal(await post(direct.id, { content: "x" }), "403/50007");
    const stranger = new REST({ api: server.api }).setToken("wrong");
    assert.equal(await refusalOf(stranger.get(Routes.user())), "401/0");
    stranger.clearHandlerSweeper();
    stranger.clearHashSweeper();
  });

  it("are posted once for one nonce", async () => {
    await using world = await openWorld();
    const { client, channel } = world;
    const target = client.channels.cache.get(channel.id) as TextChannel;
    const first = await target.send({ content: "one", nonce: "k", enforceNonce: true });
    const second = await target.send({ content: "two", nonce: "k", enforceNonce: true });
    await target.send({ content: "three", nonce: "k" });
    assert.equal(second.id, first.id);
    assert.deepEqual(
      channel.botMessages().map(({ text }) => text),
      ["one", "three"],
    );
  });

  it("are listed newest first, after and before an id", async () => {
    await using world = await openWorld();
    const { client, channel, ada } = world;
    const ids = ["a", "b", "c", "d"].map((text) => channel.say(ada, text));
    const list = async (query: Record<string, string>) => {
      const found = await client.rest.get(Routes.channelMessages(channel.id), { query: new URLSearchParams(query) });
      return (found as { content: string }[]).map(({ content }) => content).join("");
    };
    assert.equal(await list({}), "dcba");
    assert.equal(await list({ after: ids[0]!, limit: "2" }), "cb");
    assert.equal(await list({ before: ids[3]!, limit: "2" }), "cb");
    assert.equal(await refusalOf(list({ limit: "101" })), "400/50035");
  });

  it("live in threads and forum posts", async () => {
    await using world = await openWorld();
    const { server, client, channel, ada, guild, received } = world;
    const below = channel.say(ada, "start");
    const thread = channel.thread("side", below);
    assert.equal(thread.id, below);
    thread.say(ada, "inside");
    const post = server.forum(guild, "ideas").post(ada, "an idea", "its text");
    await until(() => received.length === 3, "all messages arrive");
    assert.ok(received[1]!.channel.isThread());
    assert.equal(post.place.state.parent?.name, "ideas");
    await received[2]!.reply("noted");
    assert.equal(post.place.botMessages()[0]?.replyTo, post.messageId);
    const target = client.channels.cache.get(channel.id) as TextChannel;
    const own: ThreadChannel = await target.threads.create({ name: "mine" });
    await own.send("first");
    thread.archive();
    await (client.channels.cache.get(thread.id) as ThreadChannel).send("opens again");
    assert.equal(thread.state.archived, false);
  });
});

describe("what goes wrong over REST", () => {
  it("limits a bucket, tells so in headers and counts who does not listen", async () => {
    await using server = await startDiscordServer({
      limits: { burst: 2, windowMs: 60_000 },
      now: () => 1_800_000_000_000,
    });
    const place = server.channel(server.guild("g"), "c");
    const send = () =>
      fetch(`${server.api}/v10/channels/${place.id}/messages`, {
        method: "POST",
        headers: { authorization: `Bot ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify({ content: "x" }),
      });
    const answers = [await send(), await send(), await send(), await send()];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429, 429],
    );
    assert.equal(answers[1]?.headers.get("x-ratelimit-remaining"), "0");
    assert.equal(answers[2]?.headers.get("retry-after"), "60");
    assert.deepEqual(await answers[2]?.json(), {
      message: "You are being rate limited.",
      retry_after: 60,
      global: false,
    });
    assert.equal(server.callsIntoClosedWindow(), 1);
    assert.equal(place.botMessages().length, 2);
  });

  it("fails before or after the effect", async () => {
    await using world = await openWorld();
    const { server, client, channel } = world;
    const target = client.channels.cache.get(channel.id) as TextChannel;
    server.fail("createMessage", { kind: "answer", code: 503, effect: "none" });
    await assert.rejects(target.send("never"), { status: 503 });
    server.fail("createMessage", { kind: "answer", code: 502, effect: "done" });
    await assert.rejects(target.send("done"), { status: 502 });
    server.fail("createMessage", { kind: "drop", effect: "done" });
    await assert.rejects(target.send("dropped"));
    assert.deepEqual(
      channel.botMessages().map(({ text }) => text),
      ["done", "dropped"],
    );
    assert.deepEqual(
      server.calls.of("createMessage").map(({ status }) => status),
      [503, 502, 0],
    );
  });
});
