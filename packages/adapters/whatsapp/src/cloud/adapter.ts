import type { Adapter, AdapterDeps, AdapterHost, WebhookRoute } from "@talaria/adapter";
import { Lifecycle, type Opened } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ErrorCode,
  GatewayError,
  instantOf,
  isGatewayError,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { z } from "zod";
import { ofOurs } from "../answered.ts";
import type { CloudConfig } from "../config.ts";
import { measure } from "../format/render.ts";
import { cloudCapabilities } from "./capabilities.ts";
import { type CloudClient, createCloudClient } from "./client.ts";
import { CloudIntake } from "./intake.ts";
import { CloudMemory } from "./memory.ts";
import { openMedia } from "./open-media.ts";
import { addressedTo, captionOf, fileBody, reactionBody, textBody } from "./outbound.ts";
import { Probe } from "./probe.ts";
import { upload } from "./upload.ts";
import { webhookRoutes } from "./webhook.ts";

/** One number of the Cloud API. Does no I/O before `start`. */
export function createCloudAdapter(config: CloudConfig, deps: AdapterDeps): Adapter {
  return new CloudAdapter(config, deps);
}

/** What lives between a start and the next stop. Events flow as soon as it is there; the probe tells whether answers can go out. */
interface Run extends Opened {
  readonly intake: CloudIntake;
  readonly probe: Probe;
}

class CloudAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "whatsapp";
  /** Events come by HTTP to whichever gateway Meta's request reaches. */
  readonly holding = "shared";
  readonly capabilities = cloudCapabilities;
  readonly #config: CloudConfig;
  readonly #deps: AdapterDeps;
  readonly #memory = new CloudMemory();
  readonly #lifecycle: Lifecycle<Run>;
  #lazyClient: CloudClient | undefined;

  constructor(config: CloudConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.#config = config;
    this.#deps = deps;
    const open = (host: AdapterHost) => this.#open(host);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, hint: hintOf, open });
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

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    throwIfAborted(signal);
    const body = await this.#bodyOf(message, signal);
    const answer = await this.#call("send", body, signal);
    const { data } = accepted.safeParse(answer);
    const [sent] = data?.messages ?? [];
    if (sent === undefined)
      throw new GatewayError("whatsapp accepted a message without an id", { code: "unavailable" });
    const { conversation, deliveryKey, markdown } = message;
    const messageId = brandAs<MessageId>(sent.id);
    this.#memory.noteText(sent.id, { ...ofOurs(this.#config.phoneNumberId), markdown });
    const outcome = { conversation, messageId, sentAt: instantOf(this.#deps.clock.now()) };
    this.#memory.noteSent(deliveryKey, outcome);
    return outcome;
  }

  measure(markdown: string): number {
    return measure(markdown);
  }

  async react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await this.#call("react", reactionBody(ref.conversation, ref.messageId, emoji), signal);
  }

  async unreact(ref: MessageRef, _emoji: string, signal: AbortSignal): Promise<void> {
    await this.#call("unreact", reactionBody(ref.conversation, ref.messageId, ""), signal);
  }

  /** Marks the person's newest message as read and shows that we write. Nothing where none is known, as after a restart. */
  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const messageId = this.#memory.newestOf(conversation.conversationId);
    if (messageId === undefined) return;
    const typing = { status: "read", message_id: messageId, typing_indicator: { type: "text" } };
    await this.#call("typing", { messaging_product: "whatsapp", ...typing }, signal);
  }

  /** The platform cannot be asked. But a status may have told meanwhile which message a delivery became. */
  async findSent(message: OutboundMessage): Promise<SentMessage | undefined> {
    const found = this.#memory.sentAs(message.deliveryKey);
    return found === undefined ? undefined : { ...found, conversation: message.conversation };
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openMedia(this.#client(), ref, this.#config.phoneNumberId, signal);
  }

  routes(): readonly WebhookRoute[] {
    const path = `/platforms/${this.id}` as const;
    return webhookRoutes({ path, config: this.#config, lifecycle: this.#lifecycle });
  }

  #open(host: AdapterHost): Run {
    const { phoneNumberId } = this.#config;
    const probe = new Probe({ client: this.#client(), phoneNumberId, clock: this.#deps.clock });
    return {
      intake: new CloudIntake({ deps: this.#deps, host, phoneNumberId, memory: this.#memory }),
      probe,
      session: (connected, signal) => probe.session(connected, signal),
      close: async () => {
        const client = this.#lazyClient;
        this.#lazyClient = undefined;
        await client?.close();
      },
    };
  }

  async #bodyOf(message: OutboundMessage, signal: AbortSignal): Promise<object> {
    const [attachment] = message.attachments;
    if (attachment === undefined) return textBody(message);
    addressedTo(message.conversation);
    const caption = captionOf(message);
    const { media } = this.#deps;
    const { phoneNumberId } = this.#config;
    const facts = { api: this.#client(), media, phoneNumberId, hasCaption: caption !== "" };
    return fileBody(message, await upload(attachment, facts, signal), caption);
  }

  /** What a call learns about token and network is the account's state as well. */
  async #call(action: string, body: object, signal: AbortSignal): Promise<unknown> {
    throwIfAborted(signal);
    const path = `${this.#config.phoneNumberId}/messages`;
    try {
      return await this.#client().call({ action, path, body }, signal);
    } catch (error) {
      if (isGatewayError(error, "unauthorized") || isGatewayError(error, "unavailable"))
        this.#lifecycle.running?.probe.hurry();
      throw error;
    }
  }

  #client(): CloudClient {
    this.#lazyClient ??= createCloudClient(this.#config, this.#deps.proxy);
    return this.#lazyClient;
  }
}

const accepted = z.object({ messages: z.array(z.object({ id: z.string().min(1).max(512) })) });

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new GatewayError("aborted before the call", { code: "aborted", effect: "none" });
}

function hintOf(code: ErrorCode): string {
  switch (code) {
    case "unauthorized":
      return "the access token is wrong or has expired: make a permanent one and put it into accessToken";
    case "forbidden":
      return "the token's system user needs this number and the permission whatsapp_business_messaging";
    default:
      return "check phoneNumberId and apiVersion: WhatsApp does not know this number";
  }
}
