import { brandAs, type Conversation, type DeliveryKey, type OutboundMessage } from "@talaria/protocol";

/** A message whose delivery key is made of the beginning of its text, unless another one is given. */
export function messageTo(
  conversation: Conversation,
  markdown: string,
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  const deliveryKey = brandAs<DeliveryKey>(`key-${markdown.slice(0, 40)}`);
  return { deliveryKey, conversation, markdown, attachments: [], ...more };
}
