import { randomUUID } from "node:crypto";
import { cleanText, readBody } from "@talaria/adapter-kit";
import {
  type Attachment,
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  GatewayError,
  type InboundEvent,
  instantOf,
  type MediaRef,
  type MessageId,
  preferredIn,
  type Sender,
  spoken,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import { z } from "zod";

/** Of one message. */
export const mostFiles = 10;

/** The sender's own id of what was posted: posting it again is harmless. */
const ownId = z
  .string()
  .regex(/^[\w-]{1,128}$/, "must be 1 to 128 letters, digits, - or _")
  .optional();

/** Of who writes, in BCP 47. What is no language tag counts as absent. */
const language = z.unknown().optional();

const fileSchema = z.strictObject({
  ref: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, "must be what the upload answered")
    .transform((ref) => brandAs<MediaRef>(ref)),
  name: z.string().min(1).max(255),
  mimeType: z.string().max(255),
  byteLength: z.int().min(0),
});

const messageSchema = z
  .strictObject({ text: z.string(), files: z.array(fileSchema).max(mostFiles).default([]), id: ownId, language })
  .refine(({ text, files }) => files.length > 0 || /\S/.test(text), { path: ["text"], error: "must not be empty" });

const actionSchema = z.strictObject({
  /** The line with the button, by its id in the history. */
  messageId: z.string().min(1).max(512),
  actionId: z.string().regex(/^[\w-]{1,40}$/, "must be the id of a choice: 1 to 40 letters, digits, - or _"),
  id: ownId,
  language,
});

export type PostedMessage = Omit<z.output<typeof messageSchema>, "language"> & Pick<Sender, "language">;
export type PostedAction = Omit<z.output<typeof actionSchema>, "language"> & Pick<Sender, "language">;

/** Enough of a problem to see what it is; keys that a sender made up may be long. */
const longestProblem = 300;

/** Reads a posted message. Throws `too_large` or `invalid_request` with the field and the remedy. */
export async function readMessage(request: Request, maxBytes: number): Promise<PostedMessage> {
  return withLanguage(await readAs(messageSchema, request, maxBytes), request);
}

/** Reads the press of a button. Throws as `readMessage` does. */
export async function readAction(request: Request, maxBytes: number): Promise<PostedAction> {
  return withLanguage(await readAs(actionSchema, request, maxBytes), request);
}

/** Browsers tell a person's language with each request. */
function withLanguage<Posted extends { readonly language?: unknown }>(
  { language, ...posted }: Posted,
  request: Request,
) {
  const named = spoken(language);
  return {
    ...posted,
    ...(named.language === undefined ? preferredIn(request.headers.get("accept-language") ?? "") : named),
  };
}

/** Reads JSON by a schema. Throws `too_large` or `invalid_request` with the field and the remedy. */
export async function readAs<Schema extends z.ZodType>(
  schema: Schema,
  request: Request,
  maxBytes: number,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(parseJson(await readBody(request, maxBytes)));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new GatewayError(problems.join("; ").slice(0, longestProblem).toWellFormed(), { code: "invalid_request" });
}

export function toMessage(posted: PostedMessage, conversation: Conversation, nowMs: number): InboundEvent {
  const { text, files } = posted;
  const base = toBase(posted, conversation, nowMs);
  return {
    ...base,
    type: "message.created",
    message: {
      messageId: brandAs<MessageId>(base.id),
      markdown: cleanText(text),
      attachments: files.map((file) => ({ kind: kindOf(file.mimeType), ...file })),
      mentions: [],
      mentionsSelf: true,
      repliesToSelf: false,
    },
  };
}

function kindOf(mimeType: string): Attachment["kind"] {
  const [kind] = mimeType.split("/");
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

export function toAction(action: PostedAction, conversation: Conversation, nowMs: number): InboundEvent {
  const { messageId, actionId } = action;
  const base = toBase(action, conversation, nowMs);
  return { ...base, type: "action.invoked", messageId: brandAs<MessageId>(messageId), actionId };
}

/** The operator writes: whoever holds the token. */
function toBase({ id, language }: Pick<PostedAction, "id" | "language">, conversation: Conversation, nowMs: number) {
  const at = instantOf(nowMs);
  return {
    id: brandAs<EventId>(id === undefined ? randomUUID() : `${conversation.conversationId}.${id}`),
    conversation,
    sender: {
      userId: brandAs<UserId>("operator"),
      role: "person",
      displayName: "Operator",
      assurance: "platform",
      ...spoken(language),
    },
    occurredAt: at,
    receivedAt: at,
  } as const;
}

export function checkConversationId(id: string | undefined): ConversationId {
  if (id !== undefined && /^[\w-]{1,64}$/.test(id)) return brandAs<ConversationId>(id);
  throw new GatewayError("the conversation's id must be 1 to 64 letters, digits, - or _", { code: "invalid_request" });
}

export function checkTurnId(id: string | undefined): TurnId {
  if (id !== undefined && /^[\w:.-]{1,128}$/.test(id)) return brandAs<TurnId>(id);
  throw new GatewayError("the turn's id must be the turnId of a line", { code: "invalid_request" });
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
