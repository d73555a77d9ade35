import { type Fault, FaultPlan, LoopbackServer } from "@talaria/testkit";
import { DiscordCalls } from "./calls.ts";
import { Gateway } from "./gateway.ts";
import { Interactions } from "./interactions.ts";
import { DiscordPlace } from "./place.ts";
import { type DiscordLimits, RateLimits, usualLimits } from "./rate-limits.ts";
import { createRestListener } from "./rest.ts";
import type { DiscordRoute } from "./routes.ts";
import { channelTypes, type DiscordUser, type GuildState, type RoleState } from "./state.ts";
import { intentBits } from "./wire.ts";
import { World } from "./world.ts";

export interface DiscordServerOptions {
  readonly token?: string;
  readonly botName?: string;
  /** Milliseconds; makes ids, stamps messages and drives rate limits. Heartbeats use real timers. */
  readonly now?: () => number;
  /** Whether the operator switched on the Message Content intent. Default true. */
  readonly messageContent?: boolean;
  /** What each channel's calls meet. `off` unless told otherwise: then no answer names a limit. */
  readonly limits?: "usual" | "off" | DiscordLimits;
  readonly heartbeatMs?: number;
  readonly sessionStarts?: { readonly total: number; readonly resetAfterMs: number };
  /** A fixed port, to come back where an earlier server was; else any free one. */
  readonly port?: number;
}

const defaultToken = "MTAwMDAwMDAwMDAwMDAwMDAw.Emulat.ed-token-for-tests-only-000000";
const usualHeartbeatMs = 41_250;
const usualSessionStarts = { total: 1_000, resetAfterMs: 86_400_000 };

/** Starts Discord's REST API and gateway on a loopback port. Call `stop` when done. */
export async function startDiscordServer(options: DiscordServerOptions = {}): Promise<DiscordServer> {
  const { token = defaultToken, now = Date.now, messageContent = true, sessionStarts = usualSessionStarts } = options;
  const world = new World({ now, botName: options.botName ?? "emulated-bot", seesContent: messageContent });
  const interactions = new Interactions(now);
  const stopping = new AbortController();
  const faults = new FaultPlan();
  const hasty = new FaultPlan();
  const calls = new DiscordCalls();
  const commands: unknown[] = [];
  const bearable = options.limits ?? "off";
  const limits = bearable === "off" ? undefined : new RateLimits(bearable === "usual" ? usualLimits : bearable, now);
  const seer = { botId: world.bot.id, seesContent: messageContent, url: "" };
  const gatewayInfo = () => ({
    url: gateway.url,
    shards: 1,
    session_start_limit: {
      total: sessionStarts.total,
      remaining: gateway.remainingStarts,
      reset_after: sessionStarts.resetAfterMs,
      max_concurrency: 1,
    },
  });
  const rest = {
    world,
    interactions,
    faults,
    hasty,
    calls,
    commands,
    limits,
    seer,
    gatewayInfo,
    token,
    stopping: stopping.signal,
  };
  const http = await LoopbackServer.listen(createRestListener(rest), options.port);
  seer.url = http.url;
  const allowedIntents = messageContent ? intentBits.messageContent : 0;
  const heartbeatMs = options.heartbeatMs ?? usualHeartbeatMs;
  const gateway = new Gateway(
    world,
    { token, heartbeatMs, allowedIntents, sessionStarts },
    http.url.replace("http", "ws"),
  );
  http.onUpgrade((request, socket, head) => gateway.upgrade(request, socket, head));
  return new DiscordServer({
    http,
    world,
    gateway,
    interactions,
    faults,
    hasty,
    calls,
    commands,
    limits,
    token,
    stopping,
  });
}

interface ServerParts {
  readonly http: LoopbackServer;
  readonly world: World;
  readonly gateway: Gateway;
  readonly interactions: Interactions;
  readonly faults: FaultPlan;
  readonly hasty: FaultPlan;
  readonly calls: DiscordCalls;
  readonly commands: readonly unknown[];
  readonly limits: RateLimits | undefined;
  readonly token: string;
  readonly stopping: AbortController;
}

/** A running server with one bot: the people's side of Discord, and what a test wants to know or to go wrong. */
export class DiscordServer implements AsyncDisposable {
  /** For the client's `rest.api`; the version is added by the client. */
  readonly api: string;
  readonly token: string;
  readonly bot: DiscordUser;
  readonly calls: DiscordCalls;
  /** Sessions and connections. */
  readonly gateway: Gateway;
  /** The application's commands as they were last put. */
  readonly commands: readonly unknown[];
  readonly #parts: ServerParts;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.api = `${parts.http.url}/api`;
    this.token = parts.token;
    this.bot = parts.world.bot;
    this.calls = parts.calls;
    this.gateway = parts.gateway;
    this.commands = parts.commands;
  }

  /** A person, or with `isBot` another bot. `locale`: the language of their app. */
  user(username: string, more: { globalName?: string; isBot?: boolean; locale?: string } = {}): DiscordUser {
    const { world } = this.#parts;
    const user = world.newUser(username, more.globalName ?? null, more.isBot ?? false);
    if (more.locale !== undefined) world.locales.set(user.id, more.locale);
    return user;
  }

  /** The person's direct channel with the bot; the same one each time. */
  direct(person: DiscordUser): DiscordPlace {
    return this.#place(this.#parts.world.directChannel(person));
  }

  /** A new server that the bot is a member of. */
  guild(name: string): GuildState {
    return this.#parts.world.newGuild(name);
  }

  /** A role of a server; with `botId` one that Discord keeps for that bot. */
  role(guild: GuildState, name: string, botId?: string): RoleState {
    return this.#parts.world.newRole(guild, name, botId);
  }

  deleteRole(guild: GuildState, role: RoleState): void {
    this.#parts.world.deleteRole(guild, role);
  }

  channel(guild: GuildState, name: string): DiscordPlace {
    return this.#place(this.#parts.world.newChannel({ type: channelTypes.text, name, guild }));
  }

  /** A forum: its posts are threads, and nothing else can be written in it. */
  forum(guild: GuildState, name: string): DiscordPlace {
    return this.#place(this.#parts.world.newChannel({ type: channelTypes.forum, name, guild }));
  }

  /** The bot writes through another program of its owner. */
  sayAsBot(place: DiscordPlace, text: string, components: readonly unknown[] = []): string {
    return this.#parts.world.post(place.state, this.bot, { content: text, components }).id;
  }

  /** Orders a fault for the next `times` calls of a route; `when` narrows it by body and path. */
  fail(
    route: DiscordRoute,
    fault: Fault,
    times = 1,
    when?: (parameters: Readonly<Record<string, unknown>>) => boolean,
  ): void {
    this.#parts.faults.add(route, fault, times, when);
  }

  /** The same, met as soon as the head of the call is there: nothing of its body has been read. */
  failUnread(route: DiscordRoute, fault: Fault, times = 1): void {
    this.#parts.hasty.add(route, fault, times);
  }

  /** How often the bot called although a 429 had told it to wait. */
  callsIntoClosedWindow(): number {
    return this.#parts.limits?.callsIntoClosedWindow ?? 0;
  }

  /** Cuts every connection, also the gateway's, and each new one until `goOnline`. */
  goOffline(): void {
    this.#parts.http.goOffline();
  }

  goOnline(): void {
    this.#parts.http.goOnline();
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#parts.stopping.abort();
    this.gateway.stop();
    await this.#parts.http.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #place(state: DiscordPlace["state"]): DiscordPlace {
    return new DiscordPlace(this.#parts.world, this.#parts.interactions, state);
  }
}
