import { type Conversation, GatewayError, type MessageId, type OutboundMessage } from "@talaria/protocol";
import { measure, render } from "../format/render.ts";
import { maxCaptionLength, maxTextLength } from "./capabilities.ts";
import { interactiveOf } from "./choices.ts";
import type { Upload } from "./upload.ts";

/** What every message starts with. Numbers go into `to`, business-scoped ids into `recipient`. */
export function addressedTo({ conversationId, kind }: Conversation): object {
  if (kind !== "direct")
    throw new GatewayError("the cloud api supports direct conversations only", { code: "unsupported" });
  const person = /^\d{5,20}$/.test(conversationId) ? { to: conversationId } : { recipient: conversationId };
  return { messaging_product: "whatsapp", recipient_type: "individual", ...person };
}

/** One message without a file. Throws `too_large` or `invalid_request`. */
export function textBody(message: OutboundMessage): object {
  const { markdown, choices = [] } = message;
  const text = limited(markdown, maxTextLength);
  if (text === "") throw new GatewayError("a message needs text or a file", { code: "invalid_request" });
  const content =
    choices.length > 0
      ? { type: "interactive", interactive: interactiveOf(text, choices) }
      : { type: "text", text: { body: text, preview_url: false } };
  return { ...addressedTo(message.conversation), ...correlated(message), ...content };
}

/** The words below a file. */
export function captionOf(message: OutboundMessage): string {
  const { attachments, choices = [], markdown } = message;
  if (attachments.length > 1)
    throw new GatewayError("one whatsapp message takes one file", {
      code: "invalid_request",
      details: { maxAttachments: 1 },
    });
  if (choices.length > 0)
    throw new GatewayError("whatsapp shows no choices below a file: send them with a text", {
      code: "invalid_request",
    });
  return limited(markdown, maxCaptionLength);
}

export function fileBody(message: OutboundMessage, { kind, id, name, isVoice }: Upload, caption: string): object {
  const file = {
    id,
    ...(caption === "" ? {} : { caption }),
    ...(kind === "document" ? { filename: name } : {}),
    ...(isVoice ? { voice: true } : {}),
  };
  return { ...addressedTo(message.conversation), ...correlated(message), type: kind, [kind]: file };
}

/** An empty emoji takes the reaction away. */
export function reactionBody(conversation: Conversation, messageId: MessageId, emoji: string): object {
  return { ...addressedTo(conversation), type: "reaction", reaction: { message_id: messageId, emoji } };
}

/** Statuses bring the delivery key back. An answer to something that is no WhatsApp message goes without quoting it. */
function correlated({ deliveryKey, replyTo }: OutboundMessage): object {
  return {
    biz_opaque_callback_data: deliveryKey.slice(0, 512),
    ...(replyTo?.startsWith("wamid.") ? { context: { message_id: replyTo } } : {}),
  };
}

function limited(markdown: string, maxLength: number): string {
  const length = measure(markdown);
  if (length > maxLength)
    throw new GatewayError(`a text of ${length} is longer than the ${maxLength} that whatsapp takes`, {
      code: "too_large",
      details: { length, maxLength },
    });
  return length === 0 ? "" : render(markdown);
}
