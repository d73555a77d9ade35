import { RelationType } from "matrix-js-sdk/lib/@types/event.js";
import { z } from "zod";
import { type Content, eventId, odd, userId } from "./wire.ts";

const relates = z.object({
  rel_type: odd(z.string()),
  event_id: odd(eventId),
  key: odd(z.string()),
  is_falling_back: odd(z.boolean()),
  "m.in_reply_to": odd(z.object({ event_id: eventId })),
});

/** How an event relates to others: it changes one, reacts to one, or is a message with its thread and what it answers. */
export type Relation =
  | { readonly kind: "replace"; readonly target: string }
  | { readonly kind: "annotation"; readonly target: string; readonly key: string }
  | { readonly kind: "message"; readonly threadId?: string; readonly replyTo?: string };

/** A relation to the event itself is none. */
export function relationOf(content: Content, ownId: string): Relation {
  const read = relates.safeParse(content["m.relates_to"]);
  if (!read.success) return { kind: "message" };
  const { rel_type: type, event_id: id, key, is_falling_back: isFallback } = read.data;
  const target = id === ownId ? undefined : id;
  if (type === RelationType.Replace && target !== undefined) return { kind: "replace", target };
  if (type === RelationType.Annotation && target !== undefined && key !== undefined)
    return { kind: "annotation", target, key };
  const replied = read.data["m.in_reply_to"]?.event_id;
  const threadId = type === RelationType.Thread ? target : undefined;
  const replyTo = replied === ownId || (threadId !== undefined && isFallback === true) ? undefined : replied;
  return {
    kind: "message",
    ...(threadId !== undefined && { threadId }),
    ...(replyTo !== undefined && { replyTo }),
  };
}

/** Where the bytes of an encrypted file are and how to read them (specification, encrypted files). */
const encryptedFile = z.object({
  url: z.string().max(300),
  key: z.object({ k: z.string().regex(/^[\w-]{43}$/), alg: z.literal("A256CTR") }),
  iv: z.string().regex(/^[\w+/]{22}={0,2}$/),
  hashes: z.object({ sha256: z.string().regex(/^[\w+/]{43}=?$/) }),
});
export type EncryptedFile = z.output<typeof encryptedFile>;

const message = z.object({
  msgtype: odd(z.string()),
  body: odd(z.string()),
  formatted_body: odd(z.string()),
  filename: odd(z.string()),
  url: odd(z.string().max(300)),
  file: odd(encryptedFile),
  geo_uri: odd(z.string().max(200)),
  info: odd(z.object({ mimetype: odd(z.string()), size: odd(z.number().nonnegative()) })),
  "m.mentions": odd(z.object({ user_ids: z.array(userId).max(500).catch([]) })),
  "org.matrix.msc3245.voice": odd(z.object({})),
  "m.new_content": odd(z.record(z.string(), z.unknown())),
});
export type MessageContent = z.output<typeof message>;

/** Every field alone may be odd; it then counts as absent. */
export function readMessage(content: Content): MessageContent {
  return message.parse(content);
}
