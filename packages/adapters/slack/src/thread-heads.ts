import { BoundedMap } from "@talaria/adapter-kit";
import type { InboundEvent, Quote } from "@talaria/protocol";
import type { SlackMessage } from "./wire-content.ts";

const remembered = { messages: 2_000, threads: 2_000 };
/** UTF-16 units of a text that is kept for quoting. */
const quoteLength = 2_000;

/**
 * What threads begin with, which is what people mean who name us there: Slack tells only its `ts` with an answer, and who wrote it
 * (docs.slack.dev/reference/events/message). Bounded; a restart empties it. Nothing is asked of Slack.
 */
export class ThreadHeads {
  readonly #messages = new BoundedMap<string, Quote>(remembered.messages);
  readonly #quoted = new BoundedMap<string, true>(remembered.threads);

  /** The event with the first message of its thread as a quote, where it names us and nobody has before. */
  quoting(event: InboundEvent | undefined, message: ThreadPlace): InboundEvent | undefined {
    if (event?.type !== "message.created" || !event.message.mentionsSelf || event.message.quote) return event;
    const thread = threadOf(message);
    const quote = thread === undefined || this.#quoted.has(thread) ? undefined : this.#messages.get(thread);
    return quote === undefined ? event : { ...event, message: { ...event.message, quote } };
  }

  /** The host has the event. What was said to us is known to the agent. */
  note(event: InboundEvent, message: ThreadPlace): void {
    if (event.type !== "message.created") return;
    const { mentionsSelf, markdown, attachments, quote } = event.message;
    const thread = threadOf(message);
    if (thread !== undefined) {
      if (mentionsSelf) this.#quoted.set(thread, true);
      return;
    }
    if (mentionsSelf) return;
    const { userId, displayName } = event.sender;
    const words = [markdown, quote?.markdown ?? ""].filter((text) => text !== "").join("\n");
    const files = attachments.length === 0 ? {} : { attachments };
    const head = { userId, displayName, markdown: words.slice(0, quoteLength).toWellFormed(), ...files };
    this.#messages.set(`${message.channel}/${message.ts}`, head);
  }
}

type ThreadPlace = Pick<SlackMessage, "ts" | "thread_ts"> & { readonly channel: string };

/** Undefined for a message that stands in no thread or begins one. */
function threadOf({ channel, ts, thread_ts }: ThreadPlace): string | undefined {
  return thread_ts === undefined || thread_ts === ts ? undefined : `${channel}/${thread_ts}`;
}
