import { createHash } from "node:crypto";
import { type Choice, type Conversation, type DeliveryKey, GatewayError } from "@talaria/protocol";
import { maxTextLength } from "./capabilities.ts";
import { type Block, toBlocks, toNotice, toText } from "./format.ts";
import { weightOf } from "./message-size.ts";

/** Slack keeps a mark of ours with each message. Members of the workspace can read it, so it is a hash. */
export const markType = "talaria_delivery";

/** Where a message goes. Throws `not_found` for what cannot be an id of Slack's. */
export function placeOf({ conversationId, threadId }: Conversation) {
  const channel = checkedChannel(conversationId);
  return threadId === undefined ? { channel } : { channel, thread_ts: checkedTs(threadId) };
}

export function checkedChannel(id: string): string {
  if (/^[A-Z0-9]{2,40}$/.test(id)) return id;
  throw notFound();
}

export function checkedTs(id: string): string {
  if (/^\d{1,12}\.\d{1,9}$/.test(id)) return id;
  throw notFound();
}

function notFound(): GatewayError {
  return new GatewayError("slack has nothing with such an id", { code: "not_found" });
}

/** A text as one message takes it, or throws `too_large`. */
export function checkedText(markdown: string): string {
  const text = toText(markdown);
  const length = weightOf(text);
  if (length <= maxTextLength) return text;
  throw new GatewayError(`a text of ${length} is longer than the ${maxTextLength} that slack takes`, {
    code: "too_large",
    details: { length, maxLength: maxTextLength },
  });
}

/** What a message and its later edits have in common: links show no previews. No blocks take those away that are there. */
export interface Content {
  /** In Slack's own dialect: the whole message, or beside blocks what a notification says. */
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  /** Names and channels in the text stay text; `chat.update` would link them by default. */
  readonly parse?: "none";
}

/** A message with its text in a Markdown block. */
export function contentOf(markdown: string, choices: readonly Choice[] = []): Content {
  const text = checkedText(markdown);
  const blocks = toBlocks(text, choices);
  if (blocks.length === 0) throw new GatewayError("a message needs text or a file", { code: "invalid_request" });
  return { text: toNotice(text) || "…", blocks, unfurl_links: false, unfurl_media: false };
}

export function markOf(deliveryKey: DeliveryKey) {
  return { event_type: markType, event_payload: { key: keyOf(deliveryKey) } };
}

export function keyOf(deliveryKey: DeliveryKey): string {
  return createHash("sha256").update(deliveryKey).digest("base64url");
}
