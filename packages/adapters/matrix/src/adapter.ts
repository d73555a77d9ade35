import type { Adapter, AdapterDeps, AdapterHost, Capabilities } from "@talaria/adapter";
import { Lifecycle, type Opened, proxyDispatcher } from "@talaria/adapter-kit";
import {
  type AccountId,
  type Choice,
  type Conversation,
  type ErrorCode,
  GatewayError,
  type MediaRef,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";

import { capabilitiesOf } from "./capabilities.ts";
import { type ClientOptions, createMatrixClient, path } from "./client.ts";
import type { MatrixConfig } from "./config.ts";
import { type LoggedIn, logIn } from "./logged-in.ts";
import { openFile } from "./open-file.ts";
import { measure } from "./outbound.ts";
import { runSyncLoop } from "./sync-loop.ts";

/** One Matrix account. Does no I/O before `start`. */
export function createMatrixAdapter(config: MatrixConfig, deps: AdapterDeps): Adapter {
  return new MatrixAdapter(config, deps);
}

class MatrixAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "matrix";
  readonly holding = "leased";
  readonly capabilities: Capabilities;
  readonly #config: MatrixConfig;
  readonly #deps: AdapterDeps;
  readonly #lifecycle: Lifecycle<Opened>;
  #loggedIn: LoggedIn | undefined;

  constructor(config: MatrixConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.#config = config;
    this.#deps = deps;
    const open = (host: AdapterHost) => this.#open(host);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, hint: hintFor, open });
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

  measure(markdown: string): number {
    return measure(markdown);
  }

  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    return this.#online().then(({ writer }) => writer.send(message, signal));
  }

  async edit(ref: MessageRef, markdown: string, signal: AbortSignal, choices: readonly Choice[] = []): Promise<void> {
    await (await this.#online()).writer.edit(ref, markdown, choices, signal);
  }

  async delete({ conversation, messageId }: MessageRef, signal: AbortSignal): Promise<void> {
    await (await this.#online()).writer.redact(conversation.conversationId, messageId, signal);
  }

  async leave({ conversationId }: Conversation, signal: AbortSignal): Promise<void> {
    const { client } = await this.#online();
    await client.call({ method: "POST", path: path`/client/v3/rooms/${conversationId}/leave`, body: {} }, signal);
  }

  async react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await (await this.#online()).writer.react(ref, emoji, signal);
  }

  async unreact(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await (await this.#online()).writer.unreact(ref, emoji, signal);
  }

  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    await (await this.#online()).writer.setTyping(conversation, signal);
  }

  async openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile((await this.#online()).client, ref, signal);
  }

  #open(host: AdapterHost): Opened {
    const { homeserver } = this.#config;
    const dispatcher = this.#deps.proxy && proxyDispatcher(this.#deps.proxy);
    const options = { homeserver, ...(dispatcher && { dispatcher }) };
    return {
      session: (connected, signal) => this.#session(host, options, connected, signal),
      close: async () => {
        const loggedIn = this.#loggedIn;
        this.#loggedIn = undefined;
        await loggedIn?.close();
        await dispatcher?.destroy();
      },
    };
  }

  /** The login outlives the loss of a connection. */
  async #session(host: AdapterHost, options: ClientOptions, connected: () => void, signal: AbortSignal): Promise<void> {
    this.#loggedIn ??= await this.#logIn(host, options, signal);
    const { client, intake } = this.#loggedIn;
    await runSyncLoop({ client, intake, store: this.#deps.store }, connected, signal);
  }

  async #logIn(host: AdapterHost, options: ClientOptions, signal: AbortSignal): Promise<LoggedIn> {
    const client = await createMatrixClient(options);
    return logIn(this.#config, this.#deps, { host, client }, signal);
  }

  async #online(): Promise<LoggedIn> {
    if (this.#loggedIn !== undefined) return this.#loggedIn;
    throw new GatewayError("the matrix account is not connected", { code: "unavailable", effect: "none" });
  }
}

/** What an operator should do about an error that waiting does not resolve. */
function hintFor(code: ErrorCode): string {
  if (code === "unauthorized")
    return "The homeserver refuses the login. Set a new `accessToken`, or check `user` and `password`.";
  if (code === "forbidden") return "The homeserver refuses this account. Ask its administrator whether it is locked.";
  return "The settings do not fit this homeserver: check `homeserver`, and that `accessToken` or `user` and `password` are set.";
}
