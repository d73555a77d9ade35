import {
  type Attachment,
  attachmentSchema,
  type EventId,
  type Instant,
  type Quote,
  type Role,
  roleSchema,
  type Sender,
  senderSchema,
  type UserId,
  type ValueSpan,
  valueSpanSchema,
} from "@talaria/protocol";
import { z } from "zod";

/**
 * A file that came with a message. Once it is kept, `ref` is `sha256:` and its hash, and type and length are those of the
 * bytes; else `ref` is the platform's and `problem` says why, in half a sentence.
 */
export interface EntryAttachment extends Attachment {
  readonly problem?: string;
  /** What is said in it, written down by a machine. */
  readonly transcript?: string;
}

/** What somebody wrote. `edited` marks a new version of an earlier message. */
export interface UserEntry {
  readonly kind: "user";
  readonly eventId: EventId;
  readonly sender: Sender;
  /** What they may do. Absent: a guest. */
  readonly role?: Role;
  readonly markdown: string;
  readonly attachments: readonly EntryAttachment[];
  readonly quote?: Quote;
  /** Parts of `markdown` that somebody else wrote. */
  readonly values?: readonly ValueSpan[];
  readonly at: Instant;
  readonly edited?: true;
}

/**
 * What somebody said in a group to others. It is there to be understood, not to be obeyed: its sender has asked for nothing.
 */
export interface OverheardEntry {
  readonly kind: "overheard";
  readonly sender: Sender;
  readonly markdown: string;
  readonly at: Instant;
}

export const instantSchema = z.iso.datetime() as unknown as z.ZodType<Instant, Instant>;

export const userEntrySchema = z.object({
  kind: z.literal("user"),
  eventId: z.string().min(1) as unknown as z.ZodType<EventId, EventId>,
  sender: senderSchema,
  role: roleSchema.exactOptional(),
  markdown: z.string(),
  attachments: z.array(
    attachmentSchema.extend({ problem: z.string().exactOptional(), transcript: z.string().exactOptional() }),
  ),
  quote: z
    .object({
      userId: z.string().min(1) as unknown as z.ZodType<UserId, UserId>,
      displayName: z.string(),
      markdown: z.string(),
      own: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  values: z.array(valueSpanSchema).exactOptional(),
  at: instantSchema,
  edited: z.literal(true).exactOptional(),
});

export const overheardEntrySchema = z.object({
  kind: z.literal("overheard"),
  sender: senderSchema,
  markdown: z.string(),
  at: z.string() as unknown as z.ZodType<Instant, Instant>,
});
