import type { Adapter, AdapterDeps, AdapterHost } from "@talaria/adapter";
import { Lifecycle, type Opened, proxyDispatcher } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Conversation,
  GatewayError,
  instantOf,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import type { WebConfig } from "../config.ts";
import { measure } from "../format/render.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { webCapabilities } from "./capabilities.ts";
import { type OpenedSocket, type OpenSocket, openBaileysSocket } from "./client.ts";
import { hintOf } from "./close-reason.ts";
import { download } from "./download.ts";
import { WebIntake } from "./intake.ts";
import { isGroup, jidOf } from "./jids.ts";
import { LinkedDevice } from "./linked-device.ts";
import { WebMemory } from "./memory.ts";
import { contentOf, messageIdOf } from "./outbound.ts";

/** One linked device over WhatsApp Web. Experimental. Does no I/O and loads no library before `start`. */
export function createWebAdapter(
  config: WebConfig,
  deps: AdapterDeps,
  openSocket: OpenSocket = openBaileysSocket,
): Adapter {
  return new WebAdapter(config, deps, openSocket);
}

/** What lives between a start and the next stop. */
interface Run extends Opened {
  readonly device: LinkedDevice;
}

class WebAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "whatsapp";
  readonly holding = "leased";
  readonly capabilities = webCapabilities;
  readonly #config: WebConfig;
  readonly #deps: AdapterDeps;
  readonly #openSocket: OpenSocket;
  readonly #memory = new WebMemory();
  readonly #acknowledgements: Acknowledgements;
  readonly #lifecycle: Lifecycle<Run>;
  /** Keeps the connections of downloads through the proxy, from the first one to `stop`. */
  #dispatcher: ReturnType<typeof proxyDispatcher> | undefined;

  constructor(config: WebConfig, deps: AdapterDeps, openSocket: OpenSocket) {
    this.id = deps.id;
    this.#config = config;
    this.#deps = deps;
    this.#openSocket = openSocket;
    this.#acknowledgements = new Acknowledgements(deps.clock);
    const open = (host: AdapterHost, stopping: AbortSignal) => this.#open(host, stopping);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, hint: (_, error) => hintOf(error), open });
  }

  /** Resolves when the device is connected, or an operator is asked to link it. */
  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  async stop(): Promise<void> {
    const dispatcher = this.#dispatcher;
    this.#dispatcher = undefined;
    await Promise.all([this.#lifecycle.stop(), dispatcher?.destroy()]);
  }

  reached(): void {
    this.#lifecycle.hurry();
  }

  /** Resolves when WhatsApp's server has the message; one that it had before keeps its id. */
  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { socket, credentials } = this.#connected(signal);
    const { conversation, replyTo, deliveryKey, markdown } = message;
    const content = await contentOf(message, this.#deps.media, signal);
    await credentials.flushed();
    const messageId = messageIdOf({ deliveryKey });
    const { conversationId } = conversation;
    const quoted = replyTo === undefined ? undefined : this.#memory.find(conversationId, replyTo);
    const jid = jidOf(conversation);
    const answer = this.#acknowledgements.expect(messageId);
    try {
      await socket.sendMessage(jid, content, { messageId, ...(quoted === undefined ? {} : { quoted }) }).catch(failed);
      await answer.acknowledged(signal);
    } finally {
      answer.done();
    }
    this.#memory.note(conversationId, { remoteJid: jid, id: messageId, fromMe: true }, "self", markdown);
    return { conversation, messageId: brandAs<MessageId>(messageId), sentAt: instantOf(this.#deps.clock.now()) };
  }

  measure(markdown: string): number {
    return measure(markdown);
  }

  react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    return this.#setReaction(ref, emoji, signal);
  }

  unreact(ref: MessageRef, _emoji: string, signal: AbortSignal): Promise<void> {
    return this.#setReaction(ref, "", signal);
  }

  /** Marks the newest message as read as well. */
  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const { socket } = this.#connected(signal);
    const newest = this.#memory.newestIn(conversation.conversationId);
    if (newest !== undefined) await socket.readMessages([newest]).catch(failed);
    await socket.sendPresenceUpdate("composing", jidOf(conversation)).catch(failed);
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { proxy } = this.#deps;
    if (proxy !== undefined) this.#dispatcher ??= proxyDispatcher(proxy);
    return download(ref, this.#dispatcher, signal);
  }

  async #setReaction({ conversation, messageId }: MessageRef, text: string, signal: AbortSignal): Promise<void> {
    const { socket } = this.#connected(signal);
    const remoteJid = jidOf(conversation);
    const known = this.#memory.find(conversation.conversationId, messageId)?.key;
    if (known === undefined && isGroup(remoteJid))
      throw new GatewayError("a message of a group from before the last start can't be reacted to", {
        code: "not_found",
      });
    const key = known ?? { remoteJid, id: messageId, fromMe: false };
    await socket.sendMessage(remoteJid, { react: { text, key } }, {}).catch(failed);
  }

  #connected(signal: AbortSignal): OpenedSocket {
    if (signal.aborted) throw new GatewayError("aborted before the call", { code: "aborted", effect: "none" });
    const opened = this.#lifecycle.running?.device.opened;
    if (opened !== undefined) return opened;
    throw new GatewayError("whatsapp web is not connected", { code: "unavailable", effect: "none" });
  }

  #open(host: AdapterHost, stopping: AbortSignal): Run {
    const deps = this.#deps;
    const intake = new WebIntake({ deps, host, memory: this.#memory, signal: stopping });
    const parts = {
      config: this.#config,
      deps,
      host,
      intake,
      openSocket: this.#openSocket,
      acknowledgements: this.#acknowledgements,
    };
    const device = new LinkedDevice(parts);
    return {
      device,
      session: (connected, signal) => device.session(connected, signal),
      close: () => intake.idle(),
    };
  }
}

/** The library's errors may hold keys and people's words: none becomes a cause. */
function failed(): never {
  throw new GatewayError("whatsapp web failed in the middle of a call", { code: "unavailable", effect: "unknown" });
}
