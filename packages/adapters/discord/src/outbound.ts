import { createHash } from "node:crypto";
import { type Choice, type Conversation, GatewayError, type OutboundMessage } from "@talaria/protocol";
import { maxTextLength } from "./capabilities.ts";
import { toComponents } from "./choices.ts";
import { render } from "./format.ts";

/** Suppresses previews of links. */
const suppressEmbeds = 1 << 2;
const nonceLength = 25;

/** The channel that messages of a conversation are in: the thread, else the conversation itself. */
export function channelIdOf({ conversationId, threadId }: Conversation): string {
  return checkedId(threadId ?? conversationId);
}

/** Throws `not_found` for what cannot be an id of Discord. */
export function checkedId(id: string): string {
  if (/^\d{1,20}$/.test(id)) return id;
  throw new GatewayError("discord has nothing with such an id", { code: "not_found" });
}

/** A text as one message takes it, or throws `too_large`. Empty when there is none. */
export function toContent(markdown: string): string {
  const content = render(markdown);
  if (content.length <= maxTextLength) return content;
  throw new GatewayError(`a text of ${content.length} is longer than the ${maxTextLength} that discord takes`, {
    code: "too_large",
    details: { length: content.length, maxLength: maxTextLength },
  });
}

/**
 * What a message and its later edits have in common: nobody whom the text names is notified, links show no previews, and there are
 * these buttons alone. `isReply` notifies the author of the answered message; an edit has to repeat it, since Discord rebuilds the
 * mentions of a changed message (discord.com/developers/docs/resources/message#edit-message). Edits send no notification.
 */
export function contentBody(content: string, choices: readonly Choice[] = [], isReply = false) {
  const allowed_mentions = isReply ? { parse: [], replied_user: true } : { parse: [] };
  return { content, allowed_mentions, flags: suppressEmbeds, components: toComponents(choices) };
}

/** Whether a message points to the one it answers. The message that a thread is below is in another channel. */
export function isReply({ replyTo, conversation }: OutboundMessage): boolean {
  return replyTo !== undefined && /^\d{1,20}$/.test(replyTo) && (replyTo as string) !== conversation.threadId;
}

/** What a new message has besides. Discord answers with the first message when the same key is sent again within minutes. */
export function addressOf(message: OutboundMessage) {
  const { deliveryKey, replyTo } = message;
  return {
    nonce: createHash("sha256").update(deliveryKey).digest("base64url").slice(0, nonceLength),
    enforce_nonce: true,
    ...(isReply(message) ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
  };
}
