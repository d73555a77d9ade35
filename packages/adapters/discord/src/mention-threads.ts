import type { AdapterHost } from "@talaria/adapter";
import { cleanName } from "@talaria/adapter-kit";
import { brandAs, type ErrorCode, type InboundEvent, isGatewayError, type ThreadId } from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";
import { type Places, threadTypes } from "./places.ts";
import { read } from "./wire.ts";

export interface MentionThreadsDeps {
  readonly client: DiscordClient;
  readonly places: Places;
  readonly host: Pick<AdapterHost, "isAllowed">;
  /** Whether each mention gets a thread. */
  readonly threadPerMention: boolean;
}

const longestName = 100;

/**
 * A thread for each message that mentions us in a channel. It has the id of its message
 * (discord.com/developers/docs/resources/channel#start-thread-from-message), so that one that comes again, or comes after a crash, finds it.
 */
export class MentionThreads {
  readonly #deps: MentionThreadsDeps;

  constructor(deps: MentionThreadsDeps) {
    this.#deps = deps;
  }

  /**
   * The event as one of its message's thread. Makes the thread for somebody who may be heard; where Discord refuses it, the event stays
   * in the channel. Throws when Discord has to be asked again.
   */
  async placed(event: InboundEvent, signal: AbortSignal): Promise<InboundEvent> {
    const messageId = messageIdOf(event);
    const { conversation } = event;
    if (!this.#deps.threadPerMention || messageId === undefined) return event;
    if (conversation.kind !== "group" || conversation.threadId !== undefined) return event;
    if (!this.#isThread(messageId) && !(await this.#begun(event, messageId, signal))) return event;
    return { ...event, conversation: { ...conversation, threadId: brandAs<ThreadId>(messageId) } };
  }

  #isThread(id: string): boolean {
    return threadTypes.has(this.#deps.places.get(id)?.type ?? 0);
  }

  async #begun(event: InboundEvent, messageId: string, signal: AbortSignal): Promise<boolean> {
    if (event.type !== "message.created" || !event.message.mentionsSelf || event.sender.role !== "person") return false;
    const { client, places, host } = this.#deps;
    if (!(await host.isAllowed(event))) return false;
    const path = `/channels/${event.conversation.conversationId}/messages/${messageId}/threads` as const;
    try {
      const made = read.channel(await client.call({ method: "POST", path, body: { name: nameOf(event) } }, signal));
      if (made !== undefined) places.learn(made);
      return true;
    } catch (error) {
      if (!isGatewayError(error) || passing.has(error.code)) throw error;
      // There may be one already, of a person or of ours.
      return (await places.conversationOf(messageId, false, signal))?.threadId !== undefined;
    }
  }
}

const passing: ReadonlySet<ErrorCode> = new Set(["rate_limited", "unavailable", "aborted", "unauthorized"]);

function messageIdOf(event: InboundEvent): string | undefined {
  if (event.type === "message.deleted") return event.messageId;
  return event.type === "message.created" || event.type === "message.edited" ? event.message.messageId : undefined;
}

/** The first words of the message. */
function nameOf({ message, sender }: Extract<InboundEvent, { type: "message.created" }>): string {
  const words = cleanName(message.markdown.trim().split("\n", 1)[0] ?? "");
  return (words || sender.displayName).slice(0, longestName).toWellFormed();
}
