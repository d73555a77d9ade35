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
import { Lifecycle, noteUnreadable, type Opened, RunningAccepts } from "@talaria/adapter-kit";
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
import { capabilitiesIn, capabilitiesOf } from "./capabilities.ts";
import { ChatAliases } from "./chat-aliases.ts";
import { Chats } from "./chats.ts";
import { createTelegramClient, type TelegramClient } from "./client.ts";
import { type TelegramConfig, webhookSecretOf } from "./config.ts";
import { connect, hintFor, webhookPath } from "./connect.ts";
import { openDraftView } from "./draft-view.ts";
import { measure } from "./format.ts";
import { Intake, type IntakeDeps } from "./intake.ts";
import { Messages } from "./messages.ts";
import { openFile } from "./open-file.ts";
import { Presses } from "./presses.ts";
import { RefusedUpdates } from "./refused-updates.ts";
import { RichMessages } from "./rich-messages.ts";
import { webhookRoute } from "./webhook.ts";

/** One Telegram bot. Does no I/O before `start`. */
export function createTelegramAdapter(config: TelegramConfig, deps: AdapterDeps): Adapter {
  return new TelegramAdapter(config, deps);
}

/** What lives between a start and the next stop. */
interface Run extends Opened {
  readonly intake: Intake;
  readonly stopping: AbortSignal;
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
  readonly #lifecycle: Lifecycle<Run>;
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
    const open = (host: AdapterHost, stopping: AbortSignal) => this.#open(host, stopping);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock, hint: hintFor, open });
  }

  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  reached(): void {
    this.#lifecycle.hurry();
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

  leave(conversation: Conversation, signal: AbortSignal): Promise<void> {
    return this.#messages.leave(conversation, signal);
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
    const { running } = this.#lifecycle;
    if (running === undefined || this.capabilitiesFor(target.conversation).view === undefined)
      throw new GatewayError("no drafts are shown in this conversation", { code: "unsupported" });
    const send = (message: OutboundMessage, within: AbortSignal) => this.send(message, within);
    const { clock } = this.#deps;
    try {
      const deps = { client: this.#client, chats: this.#chats, clock, send, stopping: running.stopping };
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
    const secret = webhookSecretOf(this.#config);
    return [webhookRoute({ path: webhookPath(this.id), secret, lifecycle: this.#lifecycle })];
  }

  /** See https://core.telegram.org/api/links#public-username-links. */
  contactUrl(): string | undefined {
    const username = this.#lifecycle.running?.intake.username;
    return username === undefined ? undefined : `https://t.me/${username}`;
  }

  #open(host: AdapterHost, stopping: AbortSignal): Run {
    const { clock, log, store, wordsIn } = this.#deps;
    const background = new RunningAccepts();
    const client = this.#client;
    const shared = { client, aliases: this.#aliases, refusedUpdates: this.#refusedUpdates, background };
    const unreadable: IntakeDeps["unreadable"] = (kind, facts) => noteUnreadable(this.#deps, kind, facts);
    const presses = new Presses({ client, store, clock, log, wordsIn, background }, stopping);
    const intake = new Intake({ ...shared, presses, host, chats: this.#chats, clock, log, unreadable });
    const parts = { ...shared, config: this.#config, deps: this.#deps, intake };
    return {
      intake,
      stopping,
      session: (connected, signal) => connect(parts, connected, signal),
      close: async () => {
        await background.idle();
        client.close();
      },
    };
  }
}
