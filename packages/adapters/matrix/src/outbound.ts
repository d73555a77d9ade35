import { createHash } from "node:crypto";
import { readable, toCommonMarkdown } from "@talaria/markdown";
import { type Choice, type DeliveryKey, GatewayError, type MessageId, type OutboundMessage } from "@talaria/protocol";
import { MsgType, RelationType } from "matrix-js-sdk/lib/@types/event.js";
import { maxEventTextBytes } from "./capabilities.ts";
import { choicesField, withChoices } from "./choices.ts";
import { renderHtml } from "./format.ts";
import { type Content, eventId, roomId } from "./wire.ts";

/** The fallback text of an edit, for clients that know no edits: they see that something changed. */
const maxEditFallback = 200;

/** What a message says. */
export interface Saying {
  readonly markdown: string;
  readonly choices: readonly Choice[];
  /** Who is to be notified. Nobody else is, whatever names the text holds. */
  readonly asker: string | undefined;
}

/**
 * Text as a message. `m.text`, not `m.notice`: clients neither notify of notices nor show them as speech, and people wait
 * for these answers.
 */
export function textContent(saying: Saying): Content {
  const { markdown, choices } = saying;
  return { msgtype: MsgType.Text, ...textFields(withChoices(markdown, choices)), ...sharedFields(saying) };
}

/** What a message has beside its words. `m.mentions` is there even when empty, so that no client looks for names in the text. */
export function sharedFields({ choices, asker }: Omit<Saying, "markdown">): Content {
  return { "m.mentions": asker === undefined ? {} : { user_ids: [asker] }, ...choicesField(choices) };
}

/** `body` is markdown, as clients with an editor for markdown send it, without tags and formulas; HTML only where it differs. */
export function textFields(markdown: string): Content {
  const html = renderHtml(markdown);
  const body = bodyOf(markdown);
  return html === undefined ? { body } : { body, format: "org.matrix.custom.html", formatted_body: html };
}

/** Where nothing is left, as of a comment, the text itself: an event without words is none. */
function bodyOf(markdown: string): string {
  return toCommonMarkdown(markdown).trimEnd() || readable(markdown);
}

/**
 * Replaces the text of a message of ours. Always refers to the message itself, never to an edit of it. Nobody is notified
 * once more: only the new content names the asker (specification, edits of events with mentions).
 */
export function editContent(messageId: MessageId, saying: Saying): Content {
  const { markdown } = saying;
  return {
    msgtype: MsgType.Text,
    body: `* ${bodyOf(markdown).slice(0, maxEditFallback)}`.toWellFormed(),
    "m.mentions": {},
    "m.new_content": textContent(saying),
    "m.relates_to": { rel_type: RelationType.Replace, event_id: checkedEventId(messageId) },
  };
}

/** Where a message belongs: to a thread, or as an answer. Clients without threads see an answer to its root. */
export function relationFields({ conversation, replyTo }: OutboundMessage): Content {
  const answered = replyTo === undefined ? undefined : { event_id: checkedEventId(replyTo) };
  if (conversation.threadId === undefined)
    return answered === undefined ? {} : { "m.relates_to": { "m.in_reply_to": answered } };
  const root = checkedEventId(conversation.threadId);
  return {
    "m.relates_to": {
      rel_type: RelationType.Thread,
      event_id: root,
      is_falling_back: answered === undefined,
      "m.in_reply_to": answered ?? { event_id: root },
    },
  };
}

/** The number a homeserver knows a message by: the same for each try of the same delivery. */
export function transactionOf(deliveryKey: DeliveryKey): string {
  return `t${createHash("sha256").update(deliveryKey).digest("base64url")}`;
}

/**
 * Bytes of the text in an event, as JSON, plain and as HTML; beyond the limit just those of the plain text. 0 when nothing
 * would be shown.
 */
export function measure(markdown: string): number {
  if (markdown.trim() === "") return 0;
  const givenBytes = jsonBytes(markdown);
  if (givenBytes > maxEventTextBytes) return givenBytes;
  const plainBytes = jsonBytes(bodyOf(markdown));
  const html = renderHtml(markdown);
  return html === undefined ? plainBytes : plainBytes + jsonBytes(html);
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

export function checkedEventId(id: string): string {
  if (eventId.safeParse(id).success) return id;
  throw new GatewayError("this is not the id of a matrix event", { code: "invalid_request", effect: "none" });
}

export function checkedRoomId(id: string): string {
  if (roomId.safeParse(id).success) return id;
  throw new GatewayError("this is not the id of a matrix room", { code: "invalid_request", effect: "none" });
}
