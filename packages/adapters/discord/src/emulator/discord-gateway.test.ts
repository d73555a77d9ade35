import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayIntentBits } from "discord.js";
import { WebSocket } from "ws";
import { type DiscordServer, startDiscordServer } from "./server.ts";
import { makeClient, openWorld, until } from "./test-client.ts";

describe("events", () => {
  it("tell of messages, edits, deletions and reactions", async () => {
    await using world = await openWorld();
    const { client, channel, ada } = world;
    const seen: string[] = [];
    client.on("messageUpdate", (_, message) => void seen.push(`edited ${message.content}`));
    client.on("messageDelete", (message) => void seen.push(`deleted ${message.id}`));
    client.on("messageReactionAdd", (reaction) => void seen.push(`added ${reaction.emoji.name}`));
    client.on("messageReactionRemove", (reaction) => void seen.push(`removed ${reaction.emoji.name}`));
    const id = channel.say(ada, "one");
    channel.edit(ada, id, "two");
    channel.react(ada, id, "👍");
    channel.unreact(ada, id, "👍");
    channel.delete(id);
    await until(() => seen.length === 4, "all events arrive");
    assert.deepEqual(seen, ["edited two", "added 👍", "removed 👍", `deleted ${id}`]);
  });

  it("hide texts without the intent, except in direct channels, mentions and own messages", async () => {
    await using world = await openWorld({ messageContent: false, withContent: false });
    const { server, channel, ada, texts } = world;
    channel.say(ada, "secret");
    channel.say(ada, "for you", { mentionBot: true });
    const own = server.sayAsBot(channel, "mine");
    channel.say(ada, "an answer", { replyTo: own });
    channel.say(ada, "a quiet answer", { replyTo: own, ping: false });
    server.direct(ada).say(ada, "private");
    await until(() => texts().length === 5, "all messages arrive");
    assert.deepEqual(texts(), ["", `<@${server.bot.id}> for you`, "an answer", "", "private"]);
  });

  it("come with the intents asked for only", async () => {
    await using server = await startDiscordServer();
    const { client, texts } = makeClient(server);
    client.options.intents = client.options.intents.remove(GatewayIntentBits.DirectMessages);
    const ready = new Promise((resolve) => client.once("clientReady", resolve));
    await client.login(server.token);
    await ready;
    const ada = server.user("ada");
    server.direct(ada).say(ada, "unheard");
    server.channel(server.guild("g"), "c").say(ada, "heard");
    await until(() => texts().length > 0, "a message arrives");
    assert.deepEqual(texts(), ["heard"]);
    await client.destroy();
  });

  it("carry presses and commands, which wait three seconds for an answer", async () => {
    let now = 1_800_000_000_000;
    await using world = await openWorld({ now: () => now });
    const { server, client, channel, ada } = world;
    client.on("interactionCreate", (interaction) => {
      if (interaction.isButton()) void interaction.deferUpdate();
      if (interaction.isChatInputCommand()) {
        now += interaction.commandName === "slow" ? 3_001 : 0;
        interaction.reply("done").catch(() => late.push(interaction.commandName));
      }
    });
    const late: string[] = [];
    await client.application?.commands.set([{ name: "status", description: "how things are" }]);
    assert.equal(server.commands.length, 1);
    const button = { type: 1, components: [{ type: 2, custom_id: "yes", style: 1, label: "Yes" }] };
    const id = server.sayAsBot(channel, "sure?", [button]);
    assert.equal((await channel.press(ada, id, "yes")).type, 6);
    assert.equal((await channel.slash(ada, "status")).data.content, "done");
    void channel.slash(ada, "slow");
    await until(() => late.length === 1, "the late answer is refused");
  });
});

describe("connections", () => {
  it("are resumed after a cut and after op 7, with everything that was missed", async () => {
    await using world = await openWorld();
    const { server, channel, ada, texts } = world;
    server.gateway.dropConnections();
    channel.say(ada, "missed");
    await until(() => texts().length === 1, "the missed message arrives");
    server.gateway.askToReconnect();
    await until(() => server.gateway.resumes === 2, "the session is resumed again");
    channel.say(ada, "after");
    await until(() => texts().length === 2, "the next message arrives");
    assert.deepEqual(texts(), ["missed", "after"]);
    assert.equal(server.gateway.identifies, 1);
  });

  it("lose what was missed when the session is invalid", async () => {
    await using world = await openWorld();
    const { server, channel, ada, texts } = world;
    server.gateway.invalidateSessions();
    channel.say(ada, "lost");
    await until(() => server.gateway.identifies === 2, "a new session begins");
    channel.say(ada, "kept");
    await until(() => texts().length === 1, "a message arrives");
    assert.deepEqual(texts(), ["kept"]);
  });

  it("are given up by the client when heartbeats stay unanswered", async () => {
    await using world = await openWorld({ heartbeatMs: 300 });
    const { server, channel, ada, texts } = world;
    server.gateway.becomeZombie();
    channel.say(ada, "into the void");
    await until(() => server.gateway.resumes === 1, "the client comes back");
    await until(() => texts().length === 1, "the message is replayed");
    assert.deepEqual(texts(), ["into the void"]);
  });

  it("are refused for intents that nobody granted, for a bad token and without session starts", async () => {
    await using server = await startDiscordServer({ messageContent: false });
    const { client } = makeClient(server);
    await assert.rejects(client.login(server.token), /disallowed intents/);
    await assert.rejects(makeClient(server).client.login("wrong"), /token/);
    await using spent = await startDiscordServer({ sessionStarts: { total: 0, resetAfterMs: 60_000 } });
    await assert.rejects(makeClient(spent).client.login(spent.token), /Not enough sessions/);
  });

  it("end with Discord's codes when the protocol is broken", async () => {
    await using server = await startDiscordServer();
    const identify = { op: 2, d: { token: server.token, intents: 1, properties: {} } };
    assert.equal(await closeCodeOf(server, ["no json"]), 4_002);
    assert.equal(await closeCodeOf(server, [{ op: 99 }]), 4_001);
    assert.equal(await closeCodeOf(server, [{ op: 3, d: {} }]), 4_003);
    assert.equal(await closeCodeOf(server, [identify, identify]), 4_005);
    assert.equal(await closeCodeOf(server, [{ ...identify, d: { ...identify.d, intents: -1 } }]), 4_013);
    assert.equal(await closeCodeOf(server, [], "v=9"), 4_012);
    assert.equal(
      await closeCodeOf(
        server,
        Array.from({ length: 121 }, () => ({ op: 1, d: null })),
      ),
      4_008,
    );
  });
});

/** The code that ends a connection which sends this. */
function closeCodeOf(
  server: DiscordServer,
  packets: readonly unknown[],
  query = "v=10&encoding=json",
): Promise<number> {
  const socket = new WebSocket(`${server.gateway.url}/?${query}`);
  socket.on("open", () => {
    for (const packet of packets) socket.send(typeof packet === "string" ? packet : JSON.stringify(packet));
  });
  return new Promise((resolve) => socket.on("close", resolve));
}
