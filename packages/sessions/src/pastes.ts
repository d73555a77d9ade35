import type { InboundEvent } from "@talaria/protocol";
import type { Paste, PendingEvent } from "@talaria/store";

/** Wait for the next part of a text that was cut. Apps send the parts one right after the other. */
const waitMs = 1_500;
/**
 * The part of the platform's limit from which on a message may have been cut. Apps break a text where it reads well, so the
 * parts are shorter than the limit: Telegram Desktop looks for a paragraph or a line in the second half (`CutPart` in its
 * `ui/text/text_entity.cpp`), and real paragraphs end in the last quarter.
 */
const nearLimit = 0.75;

/**
 * What a message may be of a longer text that its sender's app has cut. Undefined: nothing, as where apps don't cut texts.
 * Only a message near the limit waits; any other may be the end of one that does, and waits for nothing.
 */
export function pasteOf(event: InboundEvent, cutsTextAt: number | undefined): Paste | undefined {
  if (cutsTextAt === undefined || event.type !== "message.created" || event.sender.role !== "person") return undefined;
  const { markdown, attachments, albumId } = event.message;
  if (attachments.length > 0 || albumId !== undefined || markdown === "") return undefined;
  const { conversationId, threadId = null } = event.conversation;
  const key = `paste ${JSON.stringify([conversationId, threadId, event.sender.userId])}`;
  return markdown.length < cutsTextAt * nearLimit ? { key } : { key, ms: waitMs };
}

/** The parts of one text as one message, which stands where the first part stood. Apps cut at white space, which gets lost. */
export function mergePaste(first: PendingEvent, part: PendingEvent): PendingEvent {
  const { event } = first;
  if (!("message" in event) || !("message" in part.event)) return first;
  const { message } = part.event;
  return {
    ...first,
    event: {
      ...event,
      message: {
        ...event.message,
        markdown: `${event.message.markdown}\n${message.markdown}`,
        mentions: [...new Set([...event.message.mentions, ...message.mentions])],
        mentionsSelf: event.message.mentionsSelf || message.mentionsSelf,
        repliesToSelf: event.message.repliesToSelf || message.repliesToSelf,
      },
    },
  };
}
