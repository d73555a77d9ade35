import { type Fault, FaultPlan, LoopbackServer } from "@talaria/testkit";
import { createApiListener } from "./api.ts";
import { assistantMethods } from "./assistant-methods.ts";
import { SlackCalls } from "./calls.ts";
import { chatMethods } from "./chat-methods.ts";
import { conversationMethods } from "./conversation-methods.ts";
import { Deliveries, type RedeliveryRules, slackRedelivery } from "./deliveries.ts";
import { tell } from "./events.ts";
import { fileMethods } from "./file-methods.ts";
import { HttpPush } from "./http-push.ts";
import { SlackPlace } from "./place.ts";
import { sessionMethods } from "./session-methods.ts";
import { SocketMode } from "./socket-mode.ts";
import { streamMethods } from "./stream-methods.ts";
import { newId, type SlackUser, World } from "./world.ts";

export interface SlackServerOptions {
  readonly botName?: string;
  /** The app's manifest has an `agent_view`, as those of new apps. Else an `assistant_view`. */
  readonly agentView?: boolean;
  /** When an event that met silence comes again. Default: as Slack does it. */
  readonly redelivery?: Partial<RedeliveryRules>;
}

/** Starts a workspace with one app on 127.0.0.1. The app is told nothing until it connects or `pushTo` gives its address. */
export async function startSlackServer(options: SlackServerOptions = {}): Promise<SlackServer> {
  const world = new World(options.botName ?? "talaria");
  world.hasAgentView = options.agentView ?? false;
  const stopping = new AbortController();
  const deliveries = new Deliveries({ ...slackRedelivery, ...options.redelivery });
  const tokens = { botToken: `xoxb-${newId("1")}-secret`, appToken: `xapp-1-${world.appId}-secret` };
  const faults = new FaultPlan();
  const calls = new SlackCalls();
  const open = () => ({ url: socketMode.ticket() });
  const methods = {
    ...chatMethods,
    ...streamMethods,
    ...conversationMethods,
    ...fileMethods,
    ...assistantMethods,
    ...sessionMethods,
    "apps.connections.open": open,
  };
  const listener = createApiListener({ world, methods, ...tokens, faults, calls, stopping: stopping.signal });
  const http = await LoopbackServer.listen(listener);
  world.origin = http.url;
  const socketMode = new SocketMode(http.url, world.appId, () => deliveries.silenceMs);
  deliveries.transport = socketMode;
  http.onUpgrade((request, socket, head) => socketMode.upgrade(request, socket, head));
  world.onEvent = (event) => tell(event, world, deliveries);
  return new SlackServer({ http, world, deliveries, socketMode, faults, calls, stopping, ...tokens });
}

interface ServerParts {
  readonly http: LoopbackServer;
  readonly world: World;
  readonly deliveries: Deliveries;
  readonly socketMode: SocketMode;
  readonly faults: FaultPlan;
  readonly calls: SlackCalls;
  readonly botToken: string;
  readonly appToken: string;
  readonly stopping: AbortController;
}

/** A running workspace: the people's side of Slack, and what a test wants to know or to go wrong. */
export class SlackServer implements AsyncDisposable {
  /** With the slash at the end that the Web API's address has. */
  readonly api: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret = "0123456789abcdef0123456789abcdef";
  readonly bot: SlackUser;
  readonly teamId: string;
  readonly calls: SlackCalls;
  readonly socketMode: SocketMode;
  readonly deliveries: Deliveries;
  readonly #parts: ServerParts;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.api = `${parts.http.url}/api/`;
    this.botToken = parts.botToken;
    this.appToken = parts.appToken;
    this.bot = parts.world.bot;
    this.teamId = parts.world.teamId;
    this.calls = parts.calls;
    this.socketMode = parts.socketMode;
    this.deliveries = parts.deliveries;
  }

  /** A person, or with `isBot` another app's bot; `teamId` makes it a guest of another workspace. */
  user(name: string, more: { realName?: string; isBot?: boolean; teamId?: string; locale?: string } = {}): SlackUser {
    const { world } = this.#parts;
    return world.newUser(name, more.realName ?? "", more.isBot ?? false, more.teamId ?? world.teamId, more.locale);
  }

  /** The person's direct conversation with the bot. */
  direct(person: SlackUser): SlackPlace {
    const { world } = this.#parts;
    const found = [...world.channels.values()].find(({ kind, members }) => kind === "im" && members.has(person.id));
    return this.#place(found ?? world.newChannel("im", "", [person]));
  }

  /** A channel that the bot is a member of. */
  channel(name: string): SlackPlace {
    return this.#place(this.#parts.world.newChannel("channel", name, []));
  }

  /** The bot writes through another program of its owner. */
  sayAsBot(place: SlackPlace, text: string): string {
    return this.#parts.world.post(place.state, this.bot, { text }).ts;
  }

  /** From now on events are posted to the app's address instead of sent over a socket. */
  pushTo(url: string): HttpPush {
    const push = new HttpPush(url, this.signingSecret, () => this.deliveries.silenceMs);
    this.deliveries.transport = push;
    return push;
  }

  /** Orders a fault for the next `times` calls of a method, `upload` or `download`. Code 200: `ok: false`, the description is the error. */
  fail(method: string, fault: Fault, times = 1, when?: (args: Readonly<Record<string, unknown>>) => boolean): void {
    this.#parts.faults.add(method, fault, times, when);
  }

  /** Ends every ordered fault. */
  heal(): void {
    this.#parts.faults.clear();
  }

  /** Cuts every connection and each new one until `goOnline`. */
  goOffline(): void {
    this.#parts.http.goOffline();
  }

  /** Resolves when a new connection has been cut since `goOffline`. */
  turnedAway(): Promise<void> {
    return this.#parts.http.turnedAway();
  }

  goOnline(): void {
    this.#parts.http.goOnline();
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#parts.stopping.abort();
    this.deliveries.stop();
    this.socketMode.stop();
    await this.#parts.http.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #place(state: SlackPlace["state"]): SlackPlace {
    return new SlackPlace(state, this.#parts.world, this.deliveries);
  }
}
