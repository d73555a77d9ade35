import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { messageOf, RecordingHost } from "@talaria/testkit";
import { makeWorld, openWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof openWorld>>;

/** The role that Discord made for the bot when it was invited. */
function ownRole({ guild, server }: Pick<World, "guild" | "server">) {
  const role = guild.roles.find(({ botId }) => botId === server.bot.id);
  assert.ok(role);
  return role;
}

describe("a mention of the role that Discord keeps for the bot", () => {
  it("addresses us, and is no part of the text", async () => {
    await using world = await openWorld();
    const { host, channel, ada } = world;
    const { id } = ownRole(world);
    channel.say(ada, `<@&${id}> AI still there?`);
    channel.say(ada, `is <@&${id}> there?`);
    const [first, second] = (await host.recorded(2)).map(messageOf);
    assert.deepEqual([first?.mentionsSelf, first?.markdown], [true, "AI still there?"]);
    assert.deepEqual([second?.mentionsSelf, second?.markdown], [true, "is @emulated-bot there?"]);
    assert.equal(world.server.calls.of("getGuildRoles").length, 0, "the server's own list of roles is enough");
  });

  it("addresses us in an edit and in a thread", async () => {
    await using world = await openWorld();
    const { host, channel, ada } = world;
    const { id } = ownRole(world);
    const said = channel.say(ada, "hello");
    channel.edit(ada, said, `<@&${id}> hello`);
    channel.thread("aside").say(ada, `<@&${id}> and here`);
    const events = await host.recorded(3);
    const own = events.filter((event) => "message" in event && event.message.mentionsSelf);
    assert.deepEqual(own.map((event) => event.type).sort(), ["message.created", "message.edited"]);
  });

  it("is known for a role that is made later, and no more when the role is gone", async () => {
    await using world = await openWorld();
    const { host, channel, ada, guild, server } = world;
    const role = server.role(guild, "talaria", server.bot.id);
    channel.say(ada, `<@&${role.id}> one`);
    const [one] = await host.recorded(1);
    assert.equal(messageOf(one).mentionsSelf, true);
    server.deleteRole(guild, role);
    channel.say(ada, `<@&${role.id}> two`);
    const [, two] = await host.recorded(2);
    assert.equal(messageOf(two).mentionsSelf, false);
  });

  it("is another matter when the role is another bot's or people's", async () => {
    await using world = await openWorld();
    const { host, channel, ada, guild, server } = world;
    const other = server.role(guild, "otherbot", server.user("otherbot", { isBot: true }).id);
    const people = server.role(guild, "emulated-bot");
    channel.say(ada, `<@&${other.id}> <@&${people.id}> <@&${guild.id}> hello`);
    const [event] = await host.recorded(1);
    assert.equal(messageOf(event).mentionsSelf, false);
  });

  it("is known for a role that was made while the connection was lost", async () => {
    await using world = await openWorld();
    const { host, channel, ada, guild, server } = world;
    // Discord replays what was missed; here it loses the event, so only its list of roles can tell.
    const told = server.gateway.world.onEvent;
    server.gateway.world.onEvent = () => undefined;
    const role = server.role(guild, "talaria", server.bot.id);
    server.gateway.world.onEvent = told;
    server.gateway.dropConnections();
    await host.until(() => server.gateway.resumes === 1, "the session is resumed");
    server.fail("getGuildRoles", { kind: "answer", code: 503, effect: "none" });
    channel.say(ada, `<@&${role.id}> one`);
    channel.say(ada, `<@&${role.id}> two`);
    const events = await host.recorded(2);
    assert.deepEqual(
      events.map((event) => messageOf(event).mentionsSelf),
      [true, true],
    );
    assert.equal(server.calls.of("getGuildRoles").length, 2, "once that fails, once for both messages");
  });

  it("is known in messages that were missed", async () => {
    const { server, channel, ada, guild, make } = await makeWorld();
    const before = make();
    const first = new RecordingHost(30_000);
    await before.start(first);
    channel.say(ada, "before");
    await first.recorded(1);
    await before.stop();
    channel.say(ada, `<@&${ownRole({ guild, server }).id}> missed`);
    const second = new RecordingHost(30_000);
    const after = make();
    await after.start(second);
    const [event] = await second.recorded(1);
    assert.deepEqual([messageOf(event).mentionsSelf, messageOf(event).markdown], [true, "missed"]);
    await after.stop();
    await server.stop();
  });
});
