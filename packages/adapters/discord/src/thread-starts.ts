import { BoundedMap } from "@talaria/adapter-kit";
import {
  type ConversationId,
  type ErrorCode,
  type InboundEvent,
  isGatewayError,
  type Quote,
  type ThreadId,
} from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";
import { toMessageEvent, type Viewpoint } from "./inbound.ts";
import type { Places } from "./places.ts";
import { read } from "./wire.ts";

const remembered = 2_000;

/** The types of Discord's forums and media channels: the first message of a post stands in the post itself. */
const forumTypes: ReadonlySet<number> = new Set([15, 16]);

const lasting: ReadonlySet<ErrorCode> = new Set(["not_found", "forbidden", "invalid_request"]);

/**
 * What people's threads begin with. A thread that was made from a message has the id of that message, which is in the channel
 * (discord.com/developers/docs/resources/channel#start-thread-from-message). Discord is asked once for each thread.
 */
export class ThreadStarts {
  readonly #client: DiscordClient;
  readonly #places: Pick<Places, "get">;
  readonly #known = new BoundedMap<ThreadId, Quote | "none">(remembered);

  constructor({ client, places }: { readonly client: DiscordClient; readonly places: Pick<Places, "get"> }) {
    this.#client = client;
    this.#places = places;
  }

  /** The event with the first message of its thread as a quote, where it answers nothing. Without, where Discord does not tell it. */
  async quoting(event: InboundEvent, view: Viewpoint, signal: AbortSignal): Promise<InboundEvent> {
    if (event.type !== "message.created" || event.message.quote !== undefined) return event;
    const { conversationId, threadId } = event.conversation;
    if (threadId === undefined || (event.message.messageId as string) === threadId) return event;
    if (forumTypes.has(this.#places.get(conversationId)?.type ?? 0)) return event;
    const known = this.#known.get(threadId) ?? (await this.#ask(conversationId, threadId, view, signal));
    return known === "none" ? event : { ...event, message: { ...event.message, quote: known } };
  }

  async #ask(channelId: ConversationId, threadId: ThreadId, view: Viewpoint, signal: AbortSignal) {
    let found: Quote | "none";
    try {
      const path = `/channels/${channelId}/messages/${threadId}` as const;
      found = quoteOf(await this.#client.call({ method: "GET", path }, signal), view) ?? "none";
    } catch (error) {
      signal.throwIfAborted();
      if (!isGatewayError(error) || !lasting.has(error.code)) return "none";
      found = "none";
    }
    this.#known.set(threadId, found);
    return found;
  }
}

/** Undefined for what nobody said, and for what is ours, of which the house knows more. */
function quoteOf(raw: unknown, view: Viewpoint): Quote | undefined {
  const message = read.message(raw);
  const event = message && toMessageEvent(message, "message.created", view);
  if (event?.type !== "message.created") return undefined;
  const { userId, displayName } = event.sender;
  const { markdown, attachments } = event.message;
  if (markdown === "" && attachments.length === 0) return undefined;
  return { userId, displayName, markdown, ...(attachments.length > 0 && { attachments }), head: true };
}
