import type { ReplyView } from "@talaria/adapter";
import type { MessageId } from "@talaria/protocol";
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
