import type { Adapter, AdapterDeps, AdapterHost, Capabilities } from "@talaria/adapter";
import { type Connection, keepConnected, proxyDispatcher } from "@talaria/adapter-kit";
import {
  type AccountId,
  type Conversation,
  type ErrorCode,
  GatewayError,
  type MediaRef,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { type Account, openAccount } from "./account.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { type ClientOptions, createMatrixClient } from "./client.ts";
import type { MatrixConfig } from "./config.ts";
import { openFile } from "./open-file.ts";
import { measure } from "./outbound.ts";
import { runSession } from "./session.ts";

/** One Matrix account. Does no I/O before `start`. */
export function createMatrixAdapter(config: MatrixConfig, deps: AdapterDeps): Adapter {
  return new MatrixAdapter(config, deps);
}

/** What `start` began and `stop` ends. */
interface Running {
  readonly host: AdapterHost;
  readonly stopping: AbortController;
  readonly connection: Connection;
  /** Keeps the connections to a proxy. */
  readonly dispatcher: ReturnType<typeof proxyDispatcher> | undefined;
}

class MatrixAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "matrix";
  readonly holding = "leased";
  readonly capabilities: Capabilities;
  readonly #config: MatrixConfig;
  readonly #deps: AdapterDeps;
  #running: Running | undefined;
  #account: Account | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(config: MatrixConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.#config = config;
    this.#deps = deps;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    const { homeserver } = this.#config;
    const dispatcher = this.#deps.proxy && proxyDispatcher(this.#deps.proxy);
    const options = { homeserver, ...(dispatcher && { dispatcher }) };
    const stopping = new AbortController();
    const connection = keepConnected(
      {
        session: (connected, signal) => this.#session(host, options, connected, signal),
        report: host.report.bind(host),
        clock: this.#deps.clock,
        seed: this.id,
        hint: hintFor,
      },
      stopping.signal,
    );
    this.#running = { host, stopping, connection, dispatcher };
    await connection.opened;
  }

  stop(): Promise<void> {
    if (this.#running !== undefined) this.#stopped = this.#end(this.#running);
    this.#running = undefined;
    return this.#stopped;
  }

  measure(markdown: string): number {
    return measure(markdown);
  }

  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    return this.#opened().then(({ outbox }) => outbox.send(message, signal));
  }

  async edit(ref: MessageRef, markdown: string, signal: AbortSignal): Promise<void> {
    await (await this.#opened()).outbox.edit(ref, markdown, signal);
  }

  async delete({ conversation, messageId }: MessageRef, signal: AbortSignal): Promise<void> {
    await (await this.#opened()).outbox.redact(conversation.conversationId, messageId, signal);
  }

  async react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await (await this.#opened()).outbox.react(ref, emoji, signal);
  }

  async unreact(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await (await this.#opened()).outbox.unreact(ref, emoji, signal);
  }

  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    await (await this.#opened()).outbox.setTyping(conversation, signal);
  }

  async openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile((await this.#opened()).client, ref, signal);
  }

  async #session(host: AdapterHost, options: ClientOptions, connected: () => void, signal: AbortSignal): Promise<void> {
    this.#account ??= await this.#open(host, options, signal);
    const { client, reader } = this.#account;
    await runSession({ client, reader, store: this.#deps.store }, connected, signal);
  }

  async #open(host: AdapterHost, options: ClientOptions, signal: AbortSignal): Promise<Account> {
    const client = await createMatrixClient(options);
    return openAccount(this.#config, this.#deps, { host, client }, signal);
  }

  async #end({ host, stopping, connection, dispatcher }: Running): Promise<void> {
    stopping.abort();
    await connection.closed;
    const account = this.#account;
    this.#account = undefined;
    await account?.close();
    await dispatcher?.destroy();
    host.report({ status: "stopped" });
  }

  async #opened(): Promise<Account> {
    if (this.#account !== undefined) return this.#account;
    throw new GatewayError("the matrix account is not connected", { code: "unavailable", effect: "none" });
  }
}

/** What an operator should do about an error that waiting cannot mend. */
function hintFor(code: ErrorCode): string {
  if (code === "unauthorized")
    return "The homeserver refuses the login. Set a new `accessToken`, or check `user` and `password`.";
  if (code === "forbidden") return "The homeserver refuses this account. Ask its administrator whether it is locked.";
  return "The settings do not fit this homeserver: check `homeserver`, and that `accessToken` or `user` and `password` are set.";
}
