import { randomBytes } from "node:crypto";
import type { SeenWhatsappMessage } from "./seen-message.ts";

/** One person's conversation with the business. */
export interface ChatState {
  readonly personId: string;
  readonly name: string;
  /** Business-scoped id. */
  readonly scopedId: string;
  /** Shows a user name, and no number, to businesses. */
  readonly hidesNumber: boolean;
  readonly messages: SeenWhatsappMessage[];
  readonly typing: { readonly messageId: string; readonly at: number }[];
  /** Ids of messages of the person that the business marked as read. */
  readonly readByBusiness: Set<string>;
  /** The customer-service window is open for 24 hours from here. */
  lastWroteAt: number | undefined;
}

export function newMessageId(): string {
  return `wamid.${randomBytes(30).toString("base64")}`;
}
