import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "@talaria/protocol";
import { adapterDeps, messageOf, RecordingHost } from "@talaria/testkit";
import { createDiscordAdapter } from "./adapter.ts";
import { discordConfigSchema } from "./config.ts";
import { accountId, makeWorld } from "./testing/world.ts";

/** An adapter whose host records nothing until `recover`. */
async function openOverloaded() {
  const world = await makeWorld();
  const { server, guild, ada } = world;
  const dropped: unknown[] = [];
  const warn = (fields: object, sentence: string) => {
    if (sentence.startsWith("an event is dropped")) dropped.push(fields);
  };
  const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
  const deps = adapterDeps({ id: accountId, store: world.store, log: { ...silentLog, warn } });
  const adapter = createDiscordAdapter(config, deps);
  const host = new RecordingHost(30_000);
  await adapter.start(host);
  host.refuse(Number.POSITIVE_INFINITY);
  let probes = 0;
  /** Everything said until now has reached the adapter. */
  const settled = async () => {
    probes += 1;
    const text = `probe ${probes}`;
    server.channel(guild, `probe-${probes}`).say(ada, text);
    await host.until(
      () => host.offered.some((event) => event.type === "message.created" && event.message.markdown === text),
      "the probe is offered",
    );
  };
  const saidIn = (conversationId: string) =>
    host.events
      .filter(({ conversation }) => conversation.conversationId === conversationId)
      .map((event) => messageOf(event).markdown);
  const close = async () => {
    await adapter.stop();
    await server.stop();
  };
  return { ...world, host, dropped, settled, saidIn, recover: () => host.refuse(0), [Symbol.asyncDispose]: close };
}

const numbered = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}`);

describe("more messages than are kept while the host records nothing", () => {
  it("are fetched again where they were left out, in order, and none twice", async () => {
    await using world = await openOverloaded();
    const { server, guild, channel, direct, ada, host } = world;
    const quiet = server.channel(guild, "quiet");
    for (const text of numbered(1_300, "loud")) channel.say(ada, text);
    for (const text of numbered(150, "private")) direct.say(ada, text);
    quiet.say(ada, "one word");
    await world.settled();
    for (const text of numbered(20, "later")) channel.say(ada, text);
    await world.settled();
    world.recover();
    await host.recorded(1_473);
    channel.say(ada, "the end");
    await host.recorded(1_474);
    await host.calm();
    assert.deepEqual(world.saidIn(channel.id), [...numbered(1_300, "loud"), ...numbered(20, "later"), "the end"]);
    assert.deepEqual(world.saidIn(direct.id), numbered(150, "private"));
    assert.deepEqual(world.saidIn(quiet.id), ["one word"]);
    assert.equal(host.events.length, 1_474);
    const fetched = server.calls.of("getMessages").filter(({ parameters }) => parameters.channel === channel.id);
    assert.ok(fetched.length >= 4, "what is beyond the bound is not kept");
    assert.deepEqual(world.dropped, []);
  });

  it("cost what cannot be fetched again, and the log says so", async () => {
    await using world = await openOverloaded();
    const { channel, ada, host } = world;
    for (const text of numbered(1_000, "loud")) channel.say(ada, text);
    const last = channel.say(ada, "with a mistake");
    channel.edit(ada, last, "without a mistake");
    channel.react(ada, last, "👍");
    await world.settled();
    assert.equal(world.dropped.length, 2);
    world.recover();
    await host.recorded(1_002);
    await host.calm();
    assert.equal(world.saidIn(channel.id).at(-1), "without a mistake");
    assert.equal(host.events.length, 1_002);
  });
});
