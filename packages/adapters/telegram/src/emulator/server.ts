import { type Fault, FaultPlan, LoopbackServer, type WebhookRetry } from "@talaria/testkit";
import type { User, UserFromGetMe } from "grammy/types";
import { type CallListener, CallLog } from "./call-log.ts";
import { ForeignChat } from "./foreign-chat.ts";
import { GroupChat, type GroupOptions } from "./group-chat.ts";
import { createRequestListener } from "./http.ts";
import { PrivateChat } from "./private-chat.ts";
import { realLimits, type TelegramLimits } from "./rate-limits.ts";
import { quickRetry } from "./webhook-pusher.ts";
import { type BotAccount, type BotOptions, World } from "./world.ts";

export interface TelegramServerOptions {
  /** Token of the only bot. */
  readonly token?: string;
  /** Several bots by their tokens alone ... */
  readonly tokens?: readonly string[];
  /** ... or with more about each. The first one is the default everywhere. */
  readonly bots?: readonly BotOptions[];
  /** Milliseconds; stamps messages and drives rate limits. Long polls and retries use real timers. */
  readonly now?: () => number;
  /** `off` unless told otherwise. */
  readonly limits?: "real" | "off" | Partial<TelegramLimits>;
  readonly webhookRetry?: Partial<WebhookRetry>;
  /** A fixed port, to come back where an earlier server was; else any free one. */
  readonly port?: number;
}

export interface NewPerson {
  readonly id?: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
  readonly language_code?: string;
  /** True makes a bot that is not on this server. */
  readonly is_bot?: boolean;
}

const defaultToken = "700000001:emulated-token-for-tests-only-0001";

/** Starts a Bot API server on a loopback port. Call `stop` when done; it also ends webhooks and waiting polls. */
export async function startTelegramServer(options: TelegramServerOptions = {}): Promise<TelegramServer> {
  const world = new World(options.now ?? Date.now);
  const limits = limitsOf(options.limits);
  const retry = { ...quickRetry, ...options.webhookRetry };
  for (const bot of botOptions(options)) world.addBot(bot, limits, retry);
  const parts = { world, calls: new CallLog(), faults: new FaultPlan(), stopping: new AbortController() };
  const http = await LoopbackServer.listen(
    createRequestListener({ ...parts, stopping: parts.stopping.signal }),
    options.port,
  );
  return new TelegramServer(http, parts);
}

interface ServerParts {
  readonly world: World;
  readonly calls: CallLog;
  readonly faults: FaultPlan;
  readonly stopping: AbortController;
}

/** A running server: the people's side of Telegram, and what a test wants to know or to go wrong. */
export class TelegramServer implements AsyncDisposable {
  /** The last calls per method, with times. */
  readonly calls: CallLog;
  readonly faults: FaultPlan;
  readonly bots: readonly BotAccount[];
  readonly url: string;
  /** For the client's `apiRoot`. */
  readonly apiRoot: string;
  readonly botUser: UserFromGetMe;
  readonly #first: BotAccount;
  readonly #world: World;
  readonly #http: LoopbackServer;
  readonly #stopping: AbortController;
  #lastPersonId = 10_000;

  constructor(http: LoopbackServer, { world, calls, faults, stopping }: ServerParts) {
    this.bots = [...world.bots.values()];
    const [first] = this.bots;
    if (first === undefined) throw new Error("a server needs at least one bot");
    this.#first = first;
    this.botUser = first.user;
    this.url = http.url;
    this.apiRoot = http.url;
    this.calls = calls;
    this.faults = faults;
    this.#world = world;
    this.#http = http;
    this.#stopping = stopping;
  }

  /** Of the first bot. */
  get token(): string {
    return this.#first.token;
  }

  /** What `/revoke` at @BotFather does: the former token is refused from the next call on. `token` is the new one, of the same bot. */
  renewToken(token: string, bot: BotAccount = this.#first): void {
    this.#world.renewToken(bot, token);
  }

  /** A person. Without an id they get the next free one. */
  user(person: NewPerson): User {
    this.#lastPersonId += 1;
    const user: User = { is_bot: false, ...person, id: person.id ?? this.#lastPersonId };
    this.#world.users.set(user.id, user);
    return user;
  }

  /** The person's chat with a bot, started by the person. The same chat for the same pair. */
  privateChat(person: User, bot: BotAccount = this.#first): PrivateChat {
    this.#world.users.set(person.id, person);
    return new PrivateChat(this.#world, bot, person);
  }

  /** A new group with the given bots in it, all of them by default. */
  group(group: GroupOptions, bots: readonly BotAccount[] = this.bots): GroupChat {
    return new GroupChat(this.#world, bots, bots[0] ?? this.#first, group);
  }

  /** A group that a bot is no member of. */
  foreignChat(title: string, id = -1_009_000_000_001, bot: BotAccount = this.#first): ForeignChat {
    return new ForeignChat(this.#world, bot, title, id);
  }

  /** Queues any update, well-formed or not. `update_id` may be given. Returns the id. */
  raw(update: Record<string, unknown>, bot: BotAccount = this.#first): number {
    return bot.updates.pushRaw(update);
  }

  /** Delivers an update again under its old id, even when it was confirmed. */
  redeliver(updateId: number, bot: BotAccount = this.#first): void {
    bot.updates.redeliver(updateId);
  }

  /** The next `count` updates arrive twice. */
  duplicateNext(count = 1, bot: BotAccount = this.#first): void {
    bot.updates.duplicateNext(count);
  }

  /** The next poll that finds several updates gets them newest first; over a webhook the next update is overtaken by the one after it. */
  reverseNext(bot: BotAccount = this.#first): void {
    bot.updates.reverseNextBatch();
  }

  /** Orders a fault for the next `times` calls of a method; `when` narrows it to calls with certain parameters. */
  fail(
    method: string,
    fault: Fault,
    times = 1,
    when?: (parameters: Readonly<Record<string, unknown>>) => boolean,
  ): void {
    this.faults.add(method, fault, times, when);
  }

  /** Calls `listener` when a call arrives; the effect waits for it. `*` means every method. Returns how to stop. */
  onCall(method: string, listener: CallListener): () => void {
    return this.calls.onCall(method, listener);
  }

  /** How often bots called although a 429 had told them to wait. */
  callsIntoClosedWindow(): number {
    return this.bots.reduce((sum, bot) => sum + (bot.limits?.callsIntoClosedWindow ?? 0), 0);
  }

  /** Updates that wait for a bot's confirmation. */
  pendingUpdates(bot: BotAccount = this.#first): number {
    return bot.updates.size;
  }

  /** Cuts every connection and refuses new ones until `goOnline`. Webhooks still go out. */
  goOffline(): void {
    this.#http.goOffline();
  }

  goOnline(): void {
    this.#http.goOnline();
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const bot of this.bots) bot.webhook.stop();
    await this.#http.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function botOptions({ bots, tokens, token }: TelegramServerOptions): readonly BotOptions[] {
  return bots ?? tokens?.map((one) => ({ token: one })) ?? [{ token: token ?? defaultToken }];
}

function limitsOf(limits: TelegramServerOptions["limits"] = "off"): TelegramLimits | undefined {
  if (limits === "off") return undefined;
  return limits === "real" ? realLimits : { ...realLimits, ...limits };
}
