import { brandAs, type DeliveryKey } from "@talaria/protocol";
import type { OpenCall, OutboxText } from "@talaria/store";
import { wordsFor } from "@talaria/words";

/** Told once, whoever closes what a call had asked that is gone. */
export function voidNotice({
  id,
  sessionKey,
  route,
  askers,
}: Pick<OpenCall, "id" | "sessionKey" | "route" | "askers">): OutboxText {
  return {
    deliveryKey: brandAs<DeliveryKey>(`void:${id}`),
    kind: "notice",
    conversation: route,
    markdown: wordsFor({ conversation: route, sender: askers[0]?.sender }).callNotices.voidQuestion,
    attachments: [],
    sessionKey,
  };
}
