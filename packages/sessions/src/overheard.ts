import type { AccountPolicy, Attachment, InboundEvent, Quote } from "@talaria/protocol";
import { sessionKeyOf } from "@talaria/protocol";
import type { DirectSettlement, HearingLimits, Overheard } from "@talaria/store";
import { isBlank } from "@talaria/words";

/** UTF-16 units of one overheard message and of what it quotes; what is longer is cut. Files that are named with each. */
const most = { textChars: 1_000, quoteChars: 500, files: 5, quotedFiles: 2 };

/** Where and how much is overheard; undefined where nothing is. What is said is shared, also where memories are not. */
export function hearingOf({ conversation, sender }: InboundEvent, policy: AccountPolicy): HearingLimits | undefined {
  const { ambient } = policy.groups;
  if (conversation.kind === "direct" || ambient.messages === 0) return undefined;
  const scope = policy.sessions.groups === "conversation" ? "conversation" : "thread";
  return { place: sessionKeyOf(conversation, sender, scope), ...ambient };
}

/**
 * What is kept of a message that was not said to us: its text and what it quotes, cut, and which files came with it. Those are not
 * fetched. Undefined when there is nothing of it; an edit that leaves nothing takes the message out.
 */
export function overheardOf(event: InboundEvent, policy: AccountPolicy): DirectSettlement["overheard"] | undefined {
  if (event.type !== "message.created" && event.type !== "message.edited") return undefined;
  const limits = hearingOf(event, policy);
  const { messageId, markdown, attachments } = event.message;
  const quote = event.message.quote?.head === true ? undefined : event.message.quote;
  const ageMs = Date.parse(event.receivedAt) - Date.parse(event.occurredAt);
  if (limits === undefined || ageMs > limits.maxAgeMs) return undefined;
  const edited = event.type === "message.edited";
  const isNothing = isBlank(markdown) && attachments.length === 0 && (quote === undefined || isEmpty(quote));
  if (isNothing && !edited) return undefined;
  const message: Overheard = {
    messageId,
    eventId: event.id,
    sender: event.sender,
    markdown: cut(markdown, most.textChars),
    ...filesOf(attachments),
    ...(quote === undefined ? {} : { quote: shortQuote(quote) }),
    at: event.occurredAt,
  };
  return { ...limits, message, edited };
}

function filesOf(attachments: readonly Attachment[]): Pick<Overheard, "attachments" | "moreFiles"> {
  if (attachments.length === 0) return {};
  const more = attachments.length - most.files;
  return { attachments: attachments.slice(0, most.files), ...(more > 0 ? { moreFiles: more } : {}) };
}

function isEmpty({ markdown, attachments = [] }: Quote): boolean {
  return isBlank(markdown) && attachments.length === 0;
}

function shortQuote({ markdown, attachments = [], ...quote }: Quote): Quote {
  const files = attachments.slice(0, most.quotedFiles);
  return { ...quote, markdown: cut(markdown, most.quoteChars), ...(files.length === 0 ? {} : { attachments: files }) };
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()} …`;
}
