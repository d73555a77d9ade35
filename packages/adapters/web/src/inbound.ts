import { randomUUID } from "node:crypto";
import { cleanText, readBody } from "@talaria/adapter-kit";
import {
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  GatewayError,
  type InboundEvent,
  type Instant,
  instantOf,
  type MessageId,
  type UserId,
} from "@talaria/protocol";
import { z } from "zod";

const messageSchema = z.strictObject({
  text: z.string().regex(/\S/, "must not be empty"),
  /** The sender's own id of the message: posting it again is harmless. */
  id: z
    .string()
    .regex(/^[\w-]{1,128}$/, "must be 1 to 128 letters, digits, - or _")
    .optional(),
});

export type PostedMessage = z.output<typeof messageSchema>;

/** Enough of a problem to see what it is; keys that a sender made up may be long. */
const longestProblem = 300;

/** Reads a posted message. Throws `too_large` or `invalid_request` with the field and the remedy. */
export async function readMessage(request: Request, maxBytes: number): Promise<PostedMessage> {
  const parsed = messageSchema.safeParse(parseJson(await readBody(request, maxBytes)));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new GatewayError(problems.join("; ").slice(0, longestProblem).toWellFormed(), { code: "invalid_request" });
}

export interface Page {
  readonly limit: number;
  /** Only lines before this instant. */
  readonly before?: Instant;
}

/** Reads `limit` and `before` of a request for history. Throws `invalid_request` with the remedy. */
export function readPage(query: URLSearchParams, limits: { readonly initial: number; readonly most: number }): Page {
  const limit = Number(query.get("limit") ?? limits.initial);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.most)
    throw new GatewayError(`limit must be a whole number from 1 to ${limits.most}`, { code: "invalid_request" });
  const before = query.get("before");
  if (before === null) return { limit };
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(before) || Number.isNaN(Date.parse(before)))
    throw new GatewayError("before must be an instant like 2026-01-31T12:00:00.000Z", { code: "invalid_request" });
  return { limit, before: instantOf(Date.parse(before)) };
}

/** The operator writes: whoever holds the token. */
export function toEvent({ text, id }: PostedMessage, conversation: Conversation, nowMs: number): InboundEvent {
  const eventId = id === undefined ? randomUUID() : `${conversation.conversationId}.${id}`;
  return {
    type: "message.created",
    id: brandAs<EventId>(eventId),
    conversation,
    sender: { userId: brandAs<UserId>("operator"), role: "person", displayName: "Operator", assurance: "platform" },
    occurredAt: instantOf(nowMs),
    receivedAt: instantOf(nowMs),
    message: {
      messageId: brandAs<MessageId>(eventId),
      markdown: cleanText(text),
      attachments: [],
      mentions: [],
      mentionsSelf: true,
      repliesToSelf: false,
    },
  };
}

export function checkConversationId(id: string | undefined): ConversationId {
  if (id !== undefined && /^[\w-]{1,64}$/.test(id)) return brandAs<ConversationId>(id);
  throw new GatewayError("the conversation's id must be 1 to 64 letters, digits, - or _", { code: "invalid_request" });
}

export function answerJson(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new GatewayError("the body must be JSON in UTF-8", { code: "invalid_request", cause: error });
  }
}
