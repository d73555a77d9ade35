import type {
  Adapter,
  AdapterDeps,
  AdapterHost,
  Capabilities,
  ConversationCapabilities,
  ReplyTarget,
  ReplyView,
  WebhookRoute,
} from "@talaria/adapter";
import { type Connection, keepConnected, RunningAccepts } from "@talaria/adapter-kit";
import {
  type AccountId,
  type Choice,
  type Conversation,
  GatewayError,
  isGatewayError,
  type MediaRef,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { acceptUpdate } from "./accept-update.ts";
import { capabilitiesIn, capabilitiesOf } from "./capabilities.ts";
import { ChatAliases } from "./chat-aliases.ts";
import { Chats } from "./chats.ts";
import { createTelegramClient, type TelegramClient } from "./client.ts";
import { type TelegramConfig, webhookSecretOf } from "./config.ts";
import { connect, hintFor, webhookPath } from "./connect.ts";
import { openDraftView } from "./draft-view.ts";
import { measure } from "./format.ts";
import type { TelegramAccount } from "./inbound.ts";
import { Messages } from "./messages.ts";
import { openFile } from "./open-file.ts";
import { type RawUpdate, RefusedUpdates } from "./refused-updates.ts";
import { RichMessages } from "./rich-messages.ts";
import { webhookRoute } from "./webhook.ts";

/** One Telegram bot. Does no I/O before `start`. */
export function createTelegramAdapter(config: TelegramConfig, deps: AdapterDeps): Adapter {
  return new TelegramAdapter(config, deps);
}

/** What `start` began and `stop` ends. */
interface Running {
  readonly host: AdapterHost;
  readonly stopping: AbortController;
  readonly connection: Connection;
}

class TelegramAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "telegram";
  readonly capabilities: Capabilities;
  readonly holding: "leased" | "shared";
  readonly #config: TelegramConfig;
  readonly #deps: AdapterDeps;
  readonly #client: TelegramClient;
  readonly #aliases: ChatAliases;
  readonly #chats: Chats;
  readonly #messages: Messages;
  readonly #refusedUpdates: RefusedUpdates;
  readonly #accepts = new RunningAccepts();
  #running: Running | undefined;
  #stopped: Promise<void> = Promise.resolve();
  #account: TelegramAccount | undefined;
  #serverKnowsDrafts = true;

  constructor(config: TelegramConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.holding = config.mode === "webhook" ? "shared" : "leased";
    this.#config = config;
    this.#deps = deps;
    const { store, log, clock, media, proxy } = deps;
    const client = createTelegramClient(config.token, config.apiRoot, proxy);
    const aliases = new ChatAliases(store, log);
    const chats = new Chats({ aliases, clock, log });
    const rich = new RichMessages(config.richMessages, log);
    this.#client = client;
    this.#aliases = aliases;
    this.#chats = chats;
    this.#messages = new Messages({ client, chats, media, clock, rich });
    this.#refusedUpdates = new RefusedUpdates({ store, clock, log });
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    const stopping = new AbortController();
    const track = (work: Promise<unknown>) => void this.#accepts.track(work);
    const shared = {
      config: this.#config,
      deps: this.#deps,
      client: this.#client,
      aliases: this.#aliases,
      refusedUpdates: this.#refusedUpdates,
      track,
    };
    const identified = (account: TelegramAccount) => {
      this.#account = account;
    };
    const accept = (update: unknown) => this.#accept(update);
    const connection = keepConnected(
      {
        session: (connected, signal) => connect({ ...shared, identified, connected, accept }, signal),
        report: (state) => host.report(state),
        clock: this.#deps.clock,
        seed: this.id,
        hint: hintFor,
      },
      stopping.signal,
    );
    this.#running = { host, stopping, connection };
    await connection.opened;
  }

  stop(): Promise<void> {
    if (this.#running !== undefined) this.#stopped = this.#end(this.#running);
    this.#running = undefined;
    return this.#stopped;
  }

  async #end({ host, stopping, connection }: Running): Promise<void> {
    stopping.abort();
    await connection.closed;
    await this.#accepts.idle();
    this.#client.close();
    host.report({ status: "stopped" });
  }

  #accept(update: unknown): Promise<void> {
    const account = this.#account;
    if (this.#running === undefined || account === undefined)
      return Promise.reject(new GatewayError("the account is not connected", { code: "unavailable", effect: "none" }));
    const { host, stopping } = this.#running;
    const { clock, log } = this.#deps;
    const track = (work: Promise<unknown>) => void this.#accepts.track(work);
    const [client, aliases, chats] = [this.#client, this.#aliases, this.#chats];
    const deps = { host, account, client, aliases, chats, clock, log, track };
    return this.#accepts.track(acceptUpdate(update, deps, stopping.signal));
  }

  capabilitiesFor(conversation: Conversation): ConversationCapabilities {
    return capabilitiesIn(conversation, this.#config, this.#serverKnowsDrafts);
  }

  measure(markdown: string): number {
    return measure(markdown);
  }

  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    return this.#messages.send(message, signal);
  }

  edit(ref: MessageRef, markdown: string, signal: AbortSignal, choices: readonly Choice[] = []): Promise<void> {
    return this.#messages.edit(ref, markdown, choices, signal);
  }

  delete(ref: MessageRef, signal: AbortSignal): Promise<void> {
    return this.#messages.delete(ref, signal);
  }

  react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    return this.#messages.react(ref, emoji, signal);
  }

  unreact(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    return this.#messages.unreact(ref, emoji, signal);
  }

  setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    return this.#messages.setTyping(conversation, signal);
  }

  async openReply(target: ReplyTarget, signal: AbortSignal): Promise<ReplyView> {
    const running = this.#running;
    if (running === undefined || this.capabilitiesFor(target.conversation).view === undefined)
      throw new GatewayError("no drafts are shown in this conversation", { code: "unsupported" });
    const send = (message: OutboundMessage, within: AbortSignal) => this.send(message, within);
    const { clock } = this.#deps;
    try {
      const stopping = running.stopping.signal;
      const deps = { client: this.#client, chats: this.#chats, clock, send, stopping };
      return await openDraftView(target, deps, signal);
    } catch (error) {
      if (isGatewayError(error, "unsupported")) this.#serverKnowsDrafts = false;
      throw error;
    }
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile(this.#client, ref, signal);
  }

  routes(): readonly WebhookRoute[] {
    if (this.#config.mode !== "webhook") return [];
    const accept = (update: unknown) => this.#accept(update);
    const giveUp = (update: object, error: unknown) => {
      const { update_id } = update as { readonly update_id: unknown };
      if (!Number.isSafeInteger(update_id)) return Promise.resolve(false);
      return this.#refusedUpdates.refused(update as RawUpdate, error, false);
    };
    return [webhookRoute({ path: webhookPath(this.id), secret: webhookSecretOf(this.#config), accept, giveUp })];
  }
}
