import { brandAs, type DeliveryKey } from "@talaria/protocol";
import type { OpenCall, OutboxText } from "@talaria/store";
import { callNotices } from "./notices.ts";

/** Told once, whoever closes what a call had asked that is gone. */
export function voidNotice({ id, sessionKey, route }: Pick<OpenCall, "id" | "sessionKey" | "route">): OutboxText {
  return {
    deliveryKey: brandAs<DeliveryKey>(`void:${id}`),
    kind: "notice",
    conversation: route,
    markdown: callNotices.voidQuestion,
    attachments: [],
    sessionKey,
  };
}
