import type { Adapter, AdapterDeps, AdapterHost, Capabilities, WebhookRoute } from "@talaria/adapter";
import { Lifecycle, type Opened } from "@talaria/adapter-kit";
import {
  brandAs,
  type Conversation,
  type ConversationId,
  GatewayError,
  type InboundEvent,
  instantOf,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import type { WebChannel } from "./channel.ts";
import type { WebConfig } from "./config.ts";
import { conversationRoutes } from "./conversations.ts";
import { elsewhereRoutes } from "./elsewhere.ts";
import { openEventStream } from "./event-stream.ts";
import { openFile, putFile } from "./files.ts";
import { readHistoryPage } from "./history-page.ts";
import {
  answerJson,
  checkConversationId,
  checkTurnId,
  mostFiles,
  readAction,
  readMessage,
  toAction,
  toMessage,
} from "./inbound.ts";

/** A posted message may be this long, envelope and escapes included. */
const maxBodyBytes = 1_048_576;
const maxActionBytes = 4_096;
const uploadMs = 600_000;

/** The web chat: messages come in by HTTP, replies are read from the history and streamed as server-sent events. */
export function createWebAdapter(config: WebConfig, deps: AdapterDeps & { readonly channel: WebChannel }): Adapter {
  return new WebAdapter(config, deps);
}

/** What lives between a start and the next stop, at which its streams end. */
class Run implements Opened {
  readonly host: AdapterHost;
  readonly streams = new Set<AbortController>();

  constructor(host: AdapterHost) {
    this.host = host;
  }

  async close(): Promise<void> {
    for (const stream of this.streams) stream.abort();
  }
}

class WebAdapter implements Adapter {
  readonly id;
  readonly platform = "web";
  readonly holding = "shared";
  readonly capabilities: Capabilities;
  readonly #config: WebConfig;
  readonly #deps: AdapterDeps & { readonly channel: WebChannel };
  readonly #lifecycle: Lifecycle<Run>;

  constructor(config: WebConfig, deps: AdapterDeps & { readonly channel: WebChannel }) {
    this.id = deps.id;
    this.#config = config;
    this.#deps = deps;
    const open = (host: AdapterHost) => new Run(host);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, open });
    this.capabilities = {
      maxTextLength: config.maxTextChars,
      formatting: { headings: true, tables: true, codeBlocks: true, links: true },
      // Nothing grows here: pages read the frames themselves, and there is no message to edit.
      choices: { max: 25, maxLabelLength: 200 },
      receive: { maxBytes: config.maxFileBytes },
      send: { maxBytes: config.maxFileBytes, maxPerMessage: mostFiles, maxCaptionLength: config.maxTextChars },
      noReplies: true,
      conversationPace: { burst: 1_000, refillMs: 1 },
      idempotentSend: true,
    };
  }

  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /** The text is in the history already: readers are told to look. */
  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    if (signal.aborted) throw new GatewayError("sending was aborted", { code: "aborted", effect: "none" });
    const { conversation, deliveryKey } = message;
    this.#deps.channel.announce(conversation.conversationId);
    return { conversation, messageId: brandAs<MessageId>(deliveryKey), sentAt: instantOf(this.#deps.clock.now()) };
  }

  /** Its line says so in the history already. */
  async closed({ conversation }: MessageRef): Promise<void> {
    this.#deps.channel.announce(conversation.conversationId);
  }

  /** What a page has posted is in the house's own store already. */
  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#deps.media.open(ref, signal);
  }

  routes(): readonly WebhookRoute[] {
    const path = "/api/conversations/:id/messages";
    const common = { auth: "bearer", maxBodyBytes } as const;
    return [
      ...conversationRoutes({ channel: this.#deps.channel, retry: (id, turnId) => this.#retry(id, turnId) }),
      ...elsewhereRoutes(this.#deps),
      { ...common, method: "POST", path, handle: (request, { id }) => this.#post(request, id) },
      { ...common, method: "GET", path, handle: (request, { id }) => this.#history(request, id) },
      {
        ...common,
        maxBodyBytes: maxActionBytes,
        method: "POST",
        path: "/api/conversations/:id/actions",
        handle: (request, { id }) => this.#press(request, id),
      },
      {
        auth: "bearer",
        method: "POST",
        path: "/api/conversations/:id/files",
        maxBodyBytes: this.#config.maxFileBytes,
        bodyMs: uploadMs,
        handle: (request, { id }) => {
          checkConversationId(id);
          return putFile(request, this.#deps.channel, this.#config.maxFileBytes);
        },
      },
      {
        ...common,
        method: "GET",
        path: "/api/conversations/:id/files/:ref",
        handle: (request, { id, ref }) =>
          openFile(request, { conversationId: checkConversationId(id) }, ref, this.#deps),
      },
      {
        ...common,
        method: "GET",
        path: "/api/conversations/:id/steps/:turnId",
        handle: async (_, { id, turnId }) =>
          answerJson(
            200,
            await this.#deps.channel.steps({ conversationId: checkConversationId(id) }, checkTurnId(turnId)),
          ),
      },
      {
        ...common,
        method: "GET",
        path: "/api/conversations/:id/stream",
        handle: (request, { id }) => this.#stream(request, id),
      },
    ];
  }

  async #post(request: Request, id: string | undefined): Promise<Response> {
    const conversation = this.#conversation(checkConversationId(id));
    const message = await readMessage(request, maxBodyBytes);
    return await this.#accept(toMessage(message, conversation, this.#deps.clock.now()));
  }

  async #press(request: Request, id: string | undefined): Promise<Response> {
    const conversation = this.#conversation(checkConversationId(id));
    const action = await readAction(request, maxActionBytes);
    return await this.#accept(toAction(action, conversation, this.#deps.clock.now()));
  }

  /** A press of a button that every failed answer has: the same turn counts once. */
  #retry(conversationId: string, turnId: string): Promise<Response> {
    const conversation = this.#conversation(checkConversationId(conversationId));
    const press = { messageId: `reply:${turnId}`, actionId: `retry-${turnId}`, id: `retry-${turnId}` };
    return this.#accept(toAction(press, conversation, this.#deps.clock.now()));
  }

  async #accept(event: InboundEvent): Promise<Response> {
    const { host } = this.#lifecycle.demand();
    const acceptance = await host.accept(event);
    return answerJson(202, { eventId: event.id, ...(acceptance === "recorded" ? {} : { [acceptance]: true }) });
  }

  async #history(request: Request, id: string | undefined): Promise<Response> {
    const conversationId = checkConversationId(id);
    const page = await readHistoryPage(request, { conversationId }, this.#deps.channel);
    return answerJson(200, { ...page, files: { most: mostFiles, maxBytes: this.#config.maxFileBytes } });
  }

  async #stream(request: Request, id: string | undefined): Promise<Response> {
    const conversationId = checkConversationId(id);
    const { streams } = this.#lifecycle.demand();
    const ending = new AbortController();
    streams.add(ending);
    ending.signal.addEventListener("abort", () => streams.delete(ending), { once: true });
    request.signal.addEventListener("abort", () => ending.abort(), { once: true });
    const query = new URL(request.url).searchParams;
    const after = request.headers.get("last-event-id") ?? query.get("after") ?? undefined;
    const { channel, clock, log } = this.#deps;
    const place = after === undefined ? {} : { after };
    const body = await openEventStream({
      ...{ conversationId, channel, ending, clock, log, ...place },
      hasNews: query.has("news"),
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
    });
  }

  #conversation(conversationId: ConversationId): Conversation {
    return { accountId: this.id, platform: "web", conversationId, kind: "direct" };
  }
}
