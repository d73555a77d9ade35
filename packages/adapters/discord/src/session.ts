import type { AdapterHost } from "@talaria/adapter";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { Client, GatewayIntentBits, Options } from "discord.js";
import type { DiscordClient } from "./client.ts";
import type { DiscordConfig } from "./config.ts";
import { toCloseError, toGatewayError } from "./errors.ts";
import type { Intake } from "./intake.ts";
import type { SessionStarts } from "./session-starts.ts";
import { watchSilence } from "./watch-silence.ts";

/** The library tries to resume this often in a row before we start a new session, more slowly. */
const maxResumes = 3;
/** A connection that cannot be closed in this time is left to itself. */
const closeWithinMs = 3_000;
/** How long a session may take to open. */
const openWithinMs = 60_000;

export interface SessionDeps {
  readonly config: DiscordConfig;
  readonly client: DiscordClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly starts: SessionStarts;
  readonly host: Pick<AdapterHost, "report">;
  /** Is told that the list of channels is complete after each new session, and after each resumed one. */
  readonly intake: Intake;
}

/**
 * One session with Discord's gateway, resumed by discord.js for as long as that works. Ends by throwing, or when `signal`
 * is aborted.
 */
export async function runSession(deps: SessionDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  const { client, clock, starts } = deps;
  await starts.refresh(client, signal);
  const over = Promise.withResolvers<void>();
  over.promise.catch(() => undefined);
  const discord = makeClient(deps, over.reject);
  const abort = () => over.resolve();
  signal.addEventListener("abort", abort, { once: true });
  const opening = new AbortController();
  const stopWaiting = AbortSignal.any([signal, opening.signal]);
  const late = new GatewayError("discord did not open a session in time", { code: "unavailable" });
  clock.sleep(openWithinMs, stopWaiting).then(
    () => over.reject(late),
    () => undefined,
  );
  const opened = () => {
    opening.abort();
    connected();
  };
  listen(discord, deps, { opened, ended: over.reject });
  contain(discord, deps.log);
  const watching = new AbortController();
  let lastEventAt = 0;
  discord.on("raw", () => {
    lastEventAt = clock.elapsed();
  });
  // The library notes pings by the wall clock, which may jump: only that there was another one counts.
  let pingedAt = 0;
  const lastSign = () => {
    const latest = Math.max(0, ...discord.ws.shards.map(({ lastPingTimestamp }) => lastPingTimestamp));
    if (latest !== pingedAt) lastEventAt = clock.elapsed();
    pingedAt = latest;
    return lastEventAt;
  };
  watchSilence(clock, lastSign, watching.signal).catch(over.reject);
  try {
    const login = discord.login(deps.config.token).then(() => over.promise);
    await Promise.race([login, over.promise]);
  } catch (error) {
    throw toGatewayError(error, "the gateway", signal);
  } finally {
    opening.abort();
    watching.abort();
    signal.removeEventListener("abort", abort);
    discord.removeAllListeners("raw");
    const closing = new AbortController();
    const closed = discord
      .destroy()
      .catch(() => undefined)
      .finally(() => closing.abort());
    await Promise.race([closed, clock.sleep(closeWithinMs, closing.signal).catch(() => undefined)]);
  }
}

function makeClient({ client, config, starts }: SessionDeps, ended: (error: GatewayError) => void): Client {
  const content = config.messageContent ? [GatewayIntentBits.MessageContent] : [];
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.GuildMessageReactions,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.DirectMessageReactions,
      ...content,
    ],
    // We read the events themselves; the library need not remember them.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      ReactionManager: 0,
      ThreadMemberManager: 0,
      GuildMemberManager: { maxSize: 0, keepOverLimit: (member) => member.id === member.client.user.id },
    }),
    rest: client.restOptions(),
    ws: {
      buildIdentifyThrottler: () => ({
        waitForIdentify: (_shard, closed) => starts.take(closed, ended),
      }),
    },
  });
}

/** What the library does with an event after we have read it. */
interface PacketHandling {
  handlePacket(...args: unknown[]): unknown;
}

/**
 * The library also builds its own objects from each event. A malformed event makes that throw where only this wrapper can catch it,
 * and the process would end. We have read the event by then.
 */
function contain(discord: Client, log: Log): void {
  const handling = discord.ws as unknown as PacketHandling;
  const handle = handling.handlePacket.bind(handling);
  handling.handlePacket = (...args) => {
    try {
      return handle(...args);
    } catch (error) {
      const name = error instanceof Error ? error.name : "unknown";
      log.warn({ error: name }, "discord.js could not read an event of discord");
      return false;
    }
  };
}

interface Outcome {
  /** The first time that events can flow. */
  readonly opened: () => void;
  readonly ended: (error: GatewayError) => void;
}

function listen(discord: Client, { log, host, intake }: SessionDeps, { opened, ended }: Outcome): void {
  let attempt = 0;
  let wasUp = false;
  const isUp = () => {
    attempt = 0;
    if (wasUp) host.report({ status: "connected" });
    else opened();
    wasUp = true;
  };
  discord.on("raw", (packet) => intake.take(packet));
  discord.on("error", (error) => log.debug({ error: error.name }, "discord.js reports an error"));
  discord.on("shardError", (error) => log.debug({ error: error.name }, "the connection to discord reports an error"));
  discord.on("shardDisconnect", ({ code }) => ended(toCloseError(code)));
  // After a loss between the begin of a session and its list of channels only the second one comes.
  discord.on("shardReady", () => {
    intake.complete();
    isUp();
  });
  discord.on("shardResume", () => {
    intake.resumed();
    isUp();
  });
  discord.on("shardReconnecting", () => {
    attempt += 1;
    if (attempt > maxResumes)
      ended(new GatewayError("the connection to discord does not come back", { code: "unavailable" }));
    else if (wasUp) host.report({ status: "reconnecting", attempt, code: "unavailable" });
  });
}
