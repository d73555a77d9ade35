import type { Adapter, AdapterDeps, AdapterHost } from "@talaria/adapter";
import { type Connection, keepConnected } from "@talaria/adapter-kit";
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
import { toEvent } from "./inbound.ts";

/** One Loopback account. Does no I/O before `start`. */
export function createLoopbackAdapter(config: LoopbackConfig, deps: AdapterDeps): Adapter {
  return new LoopbackAdapter(createLoopbackClient(config), deps);
}

/** What `start` began and `stop` ends. */
interface Running {
  readonly host: AdapterHost;
  readonly stopping: AbortController;
  readonly connection: Connection;
}

class LoopbackAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "loopback";
  readonly holding = "leased";
  readonly capabilities = capabilities;
  readonly #client: LoopbackClient;
  readonly #deps: AdapterDeps;
  #running: Running | undefined;

  constructor(client: LoopbackClient, deps: AdapterDeps) {
    this.id = deps.id;
    this.#client = client;
    this.#deps = deps;
  }

  async start(host: AdapterHost): Promise<void> {
    const stopping = new AbortController();
    const connection = keepConnected(
      {
        session: (connected, signal) => this.#session(host, connected, signal),
        report: (state) => host.report(state),
        clock: this.#deps.clock,
        seed: this.id,
        hint: () => "put a valid token into the configuration",
      },
      stopping.signal,
    );
    this.#running = { host, stopping, connection };
    await connection.opened;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    running.stopping.abort();
    await running.connection.closed;
    running.host.report({ status: "stopped" });
  }

  async send({ conversation, markdown }: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const messageId = await this.#client.post(conversation.conversationId, markdown, signal);
    return { conversation, messageId: brandAs<MessageId>(messageId), sentAt: instantOf(this.#deps.clock.now()) };
  }

  /** Records each update before the platform hears that we have it. Ends by throwing when the connection does. */
  async #session(host: AdapterHost, connected: () => void, signal: AbortSignal): Promise<void> {
    const account = { id: this.id, selfId: await this.#client.identify(signal) };
    connected();
    while (!signal.aborted) {
      for (const update of await this.#client.receive(signal)) {
        const event = toEvent(update, account, this.#deps.clock.now());
        if (event !== undefined) await host.accept(event);
        await this.#client.acknowledge(update.updateId, signal);
      }
    }
  }
}
