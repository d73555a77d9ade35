import type { ReplyView } from "@talaria/adapter";
import { brandAs, type DeliveryKey, type MessageId, type OutboundMessage, type TurnId } from "@talaria/protocol";
import type { Preview } from "@talaria/store";

/** What a growing reply left behind: where its preview is, or that nobody knows whether it was posted. */
export type PreviewLeft =
  | { readonly state: "none" }
  /** `shown` is its text where that is certain. */
  | { readonly state: "posted"; readonly messageId: MessageId; readonly shown?: string }
  | { readonly state: "unknown" }
  | { readonly state: "view"; readonly view: ReplyView };

/** The same, as far as the store knows. */
export function previewLeft(preview: Preview | undefined): PreviewLeft {
  if (preview === undefined) return { state: "none" };
  return preview.messageId === undefined ? { state: "unknown" } : { state: "posted", messageId: preview.messageId };
}

/** The preview shows this very message: an edit that changes nothing would only cost the platform's patience. */
export function isShown({ markdown, choices = [] }: OutboundMessage, preview: PreviewLeft): boolean {
  return preview.state === "posted" && preview.shown === markdown && choices.length === 0;
}

/** The key of a preview's message. A platform that recognises it says where that message is when it is sent again. */
export function previewKey(turnId: TurnId): DeliveryKey {
  return brandAs<DeliveryKey>(`preview:${turnId}`);
}
