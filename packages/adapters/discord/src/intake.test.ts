import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Lanes } from "@talaria/adapter-kit";
import { silentLog } from "@talaria/protocol";
import { adapterDeps, hurriedClock, messageOf, RecordingHost } from "@talaria/testkit";
import { CatchUp } from "./catch-up.ts";
import { createDiscordClient } from "./client.ts";
import { CommandMenu } from "./commands.ts";
import { Cursors } from "./cursors.ts";
import { Intake } from "./intake.ts";
import { Interactions } from "./interactions.ts";
import { MentionThreads } from "./mention-threads.ts";
import { OpenAnswers } from "./open-answers.ts";
import { OwnRoles } from "./own-roles.ts";
import { Places } from "./places.ts";
import { Recorder } from "./recorder.ts";
import { accountId, makeWorld } from "./testing/world.ts";
import { ThreadStarts } from "./thread-starts.ts";
import { read } from "./wire.ts";

/** An intake without a connection, whose missed messages come from a server. */
async function openIntake() {
  const { server, ada, guild, channel, store } = await makeWorld();
  const client = createDiscordClient({ token: server.token, apiRoot: server.api });
  const host = new RecordingHost(30_000);
  const lanes = new Lanes({ clock: hurriedClock, log: silentLog, seed: "s" });
  const cursors = await Cursors.load(store, hurriedClock.now() - 60_000);
  const places = new Places(accountId, client);
  const ownRoles = new OwnRoles(client);
  const shared = { ownRoles, client, clock: hurriedClock, log: silentLog, host, lanes, cursors, places };
  const threads = new MentionThreads({ ...shared, threadPerMention: false });
  const recorder = new Recorder({ ...shared, threads, starts: new ThreadStarts(shared) });
  const catchUp = new CatchUp({ ...shared, recorder, catchUpMs: 24 * 60 * 60_000 });
  const answers = await OpenAnswers.load(store, hurriedClock);
  const interactions = new Interactions({ ...shared, recorder, answers, store, wordsIn: adapterDeps().wordsIn });
  const menu = new CommandMenu({ ...shared, store, commands: [] });
  const unreadable = () => undefined;
  const intake = new Intake({ ...shared, recorder, catchUp, interactions, menu, unreadable });
  const guildPacket = (last: string, joinedAt: string) => {
    const channels = [{ id: channel.id, type: 0, name: "general", last_message_id: last }];
    return { t: "GUILD_CREATE", s: 2, d: { id: guild.id, joined_at: joinedAt, channels, threads: [] } };
  };
  intake.take({ t: "READY", s: 1, d: { user: { id: server.bot.id }, session_id: "x" } });
  const close = async () => {
    await lanes.close();
    await client.close();
    await server.stop();
  };
  const texts = () => host.events.map((event) => messageOf(event).markdown);
  return { intake, host, texts, channel, ada, guildPacket, client, [Symbol.asyncDispose]: close };
}

const longAgo = "2026-01-01T00:00:00.000Z";

describe("a new session", () => {
  it("holds what comes before the list of channels until the gap is queued", async () => {
    await using opened = await openIntake();
    const { intake, host, texts, channel, ada, guildPacket, client } = opened;
    channel.say(ada, "missed");
    const newer = channel.say(ada, "newer");
    const path = `/channels/${channel.id}/messages/${newer}` as const;
    const d = await client.call({ method: "GET", path }, new AbortController().signal);
    intake.take({ t: "MESSAGE_CREATE", s: 3, d });
    intake.take(guildPacket(newer, longAgo));
    intake.complete();
    await host.recorded(2);
    assert.deepEqual(texts(), ["missed", "newer"]);
  });

  it("fetches what a server missed that comes late", async () => {
    await using opened = await openIntake();
    const { intake, host, texts, channel, ada, guildPacket } = opened;
    intake.complete();
    intake.take(guildPacket(channel.say(ada, "during the outage"), longAgo));
    await host.recorded(1);
    assert.deepEqual(texts(), ["during the outage"]);
  });

  it("reads every channel of a server that has as many as Discord allows", () => {
    const many = (length: number, type: number) => Array.from({ length }, (_, n) => ({ id: `${type}${n}`, type }));
    const guild = read.guild({ id: "1", channels: many(500, 10), threads: many(1_000, 11), roles: many(250, 0) });
    assert.deepEqual([guild?.channels.length, guild?.threads.length, guild?.roles.length], [500, 1_000, 250]);
  });

  it("leaves alone what was written before we joined a server", async () => {
    await using opened = await openIntake();
    const { intake, host, texts, channel, ada, guildPacket } = opened;
    const last = channel.say(ada, "before us");
    intake.take(guildPacket(last, new Date(hurriedClock.now() + 5_000).toISOString()));
    intake.complete();
    await host.calm();
    assert.deepEqual(texts(), []);
  });
});
