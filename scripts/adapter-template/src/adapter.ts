import type { Adapter, AdapterDeps, AdapterHost } from "@talaria/adapter";
import { Lifecycle, type Opened } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  instantOf,
  type MessageId,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { capabilities } from "./capabilities.ts";
import { createLoopbackClient, type LoopbackClient } from "./client.ts";
import type { LoopbackConfig } from "./config.ts";
import { Intake } from "./intake.ts";
import { pull } from "./pull.ts";
import { push } from "./push.ts";

/** One Loopback account. Does no I/O before `start`. */
export function createLoopbackAdapter(config: LoopbackConfig, deps: AdapterDeps): Adapter {
  return new LoopbackAdapter(createLoopbackClient(config), deps);
}

class LoopbackAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "loopback";
  readonly holding = "leased";
  readonly capabilities = capabilities;
  readonly #client: LoopbackClient;
  readonly #deps: AdapterDeps;
  readonly #lifecycle: Lifecycle<Opened>;

  constructor(client: LoopbackClient, deps: AdapterDeps) {
    this.id = deps.id;
    this.#client = client;
    this.#deps = deps;
    const hint = () => "put a valid token into the configuration";
    const open = (host: AdapterHost) => this.#open(host);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, hint, open });
  }

  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  async send({ conversation, markdown }: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const messageId = await this.#client.post(conversation.conversationId, markdown, signal);
    return { conversation, messageId: brandAs<MessageId>(messageId), sentAt: instantOf(this.#deps.clock.now()) };
  }

  /** What lives between a start and the next stop. Keep the session that fits the platform, and delete the other one's file. */
  #open(host: AdapterHost): Opened {
    const { id, clock, log } = this.#deps;
    const intake = new Intake({ id, host, clock, log });
    const client = this.#client;
    return {
      session: (connected, signal) =>
        client.isPulled ? pull({ client, intake }, connected, signal) : push({ client, intake }, connected, signal),
    };
  }
}
