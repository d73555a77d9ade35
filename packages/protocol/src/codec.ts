import { z } from "zod";
import type {
  AccountId,
  Brand,
  ConversationId,
  EventId,
  Instant,
  MediaRef,
  MessageId,
  ThreadId,
  TurnId,
  UserId,
} from "./ids.ts";
import type { InboundEvent, SessionEvent } from "./inbound.ts";
import { spoken } from "./language.ts";
import { platformSchema } from "./platform.ts";
import { roleSchema } from "./role.ts";
import type { SessionKey } from "./session-key.ts";
import { grantScopes, settlements, waits } from "./settled-call.ts";
import type { StreamFrame } from "./stream.ts";

/** An id of at least one and at most 512 characters. */
function id<Id extends Brand<string>>() {
  return z.string().min(1).max(512) as unknown as z.ZodType<Id, Id>;
}

const instant = z.iso.datetime() as unknown as z.ZodType<Instant, Instant>;

export const conversationSchema = z.object({
  accountId: id<AccountId>(),
  platform: platformSchema,
  conversationId: id<ConversationId>(),
  threadId: id<ThreadId>().exactOptional(),
  kind: z.enum(["direct", "group", "broadcast"]),
  title: z.string().exactOptional(),
  guest: z.literal(true).exactOptional(),
});

export const senderSchema = z
  .object({
    userId: id<UserId>(),
    role: z.enum(["person", "bot", "self", "system", "unknown"]),
    displayName: z.string(),
    handle: z.string().exactOptional(),
    language: z.unknown().optional(),
    assurance: z.enum(["platform", "signed", "claimed"]),
    mandate: z.object({ owner: z.string(), toolsets: z.array(z.string()) }).exactOptional(),
  })
  .transform(({ language, ...sender }) => ({ ...sender, ...spoken(language) }));

export const attachmentSchema = z.object({
  kind: z.enum(["image", "audio", "video", "file"]),
  mimeType: z.string(),
  name: z.string().exactOptional(),
  byteLength: z.number().nonnegative().exactOptional(),
  voice: z.literal(true).exactOptional(),
  ref: id<MediaRef>(),
});

export const choiceSchema = z.object({
  id: z.string().regex(/^[\w-]{1,40}$/),
  label: z.string().min(1),
  row: z.int().min(1).max(25).exactOptional(),
});

export const outboundAttachmentSchema = z.object({
  mimeType: z.string(),
  name: z.string(),
  byteLength: z.number().nonnegative().exactOptional(),
  ref: id<MediaRef>(),
});

export const quoteSchema = z.object({
  userId: id<UserId>(),
  displayName: z.string(),
  markdown: z.string(),
  attachments: z.array(attachmentSchema).exactOptional(),
  own: z.literal(true).exactOptional(),
  fact: z.literal(true).exactOptional(),
  head: z.literal(true).exactOptional(),
});

const place = z.number().int().nonnegative();
export const valueSpanSchema = z.object({ name: z.string(), start: place, end: place });

const message = z.object({
  messageId: id<MessageId>(),
  markdown: z.string(),
  attachments: z.array(attachmentSchema),
  mentions: z.array(id<UserId>()),
  mentionsSelf: z.boolean(),
  repliesToSelf: z.boolean(),
  replyTo: id<MessageId>().exactOptional(),
  quote: quoteSchema.exactOptional(),
  recipients: z.array(id<UserId>()).exactOptional(),
  values: z.array(valueSpanSchema).exactOptional(),
  unseen: z.literal(true).exactOptional(),
  withheld: z.literal(true).exactOptional(),
  albumId: z.string().min(1).max(512).exactOptional(),
});

export const grantOfferSchema = z.object({
  scopes: z.array(z.enum(grantScopes)),
  covers: z.string(),
  terms: z.record(z.string(), z.unknown()),
});

export const settledCallSchema = z.object({
  turnId: id<TurnId>(),
  callId: z.string().min(1),
  name: z.string(),
  arguments: z.string(),
  waitsFor: z.enum(waits),
  settlement: z.enum(settlements),
  by: senderSchema.exactOptional(),
  content: z.string().exactOptional(),
  brought: z.record(z.string(), z.unknown()).exactOptional(),
  askers: z.array(z.object({ sender: senderSchema, role: roleSchema })),
});

const base = {
  id: id<EventId>(),
  conversation: conversationSchema,
  sender: senderSchema,
  occurredAt: instant,
  receivedAt: instant,
};

/** Reads an event that another process, perhaps of another version, has written. */
export const inboundEventSchema = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("message.created"), message }),
  z.object({ ...base, type: z.literal("message.edited"), message }),
  z.object({ ...base, type: z.literal("message.deleted"), messageId: id<MessageId>() }),
  z.object({ ...base, type: z.literal("reaction.added"), messageId: id<MessageId>(), emoji: z.string() }),
  z.object({ ...base, type: z.literal("reaction.removed"), messageId: id<MessageId>(), emoji: z.string() }),
  z.object({
    ...base,
    type: z.literal("action.invoked"),
    messageId: id<MessageId>(),
    actionId: z.string(),
    label: z.string().exactOptional(),
  }),
]) satisfies z.ZodType<InboundEvent>;

/** Reads what waited in a session, perhaps written by another version. */
export const sessionEventSchema = z.discriminatedUnion("type", [
  ...inboundEventSchema.options,
  z.object({ ...base, type: z.literal("call.settled"), call: settledCallSchema }),
]) satisfies z.ZodType<SessionEvent>;

/** Account, conversation, thread and user, each of up to 512 characters and percent-encoded. */
const longestSessionKey = 4 * 512 * 9;

const frame = {
  accountId: id<AccountId>(),
  sessionKey: z.string().min(1).max(longestSessionKey) as unknown as z.ZodType<SessionKey, SessionKey>,
  turnId: id<TurnId>(),
  fence: z.number().int(),
  n: z.number().int().nonnegative(),
};

/** Reads a frame from the stream bus. */
export const streamFrameSchema = z.discriminatedUnion("type", [
  z.object({
    ...frame,
    type: z.literal("started"),
    conversation: conversationSchema,
    replyTo: id<MessageId>().exactOptional(),
  }),
  z.object({ ...frame, type: z.literal("delta"), offset: z.number().int().nonnegative(), text: z.string() }),
  z.object({ ...frame, type: z.literal("status"), label: z.string() }),
  z.object({
    ...frame,
    type: z.literal("ended"),
    status: z.enum(["completed", "failed", "aborted", "suspended"]),
    label: z.string().exactOptional(),
  }),
]) satisfies z.ZodType<StreamFrame>;
