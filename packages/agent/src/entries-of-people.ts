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
import { type KeptMedia, keptMediaSchema } from "./kept-media.ts";

/**
 * A file that came with a message. Once it is kept, `ref` is `sha256:` and its hash, and type and length are those of the
 * bytes; else `ref` is the platform's and `problem` says why, in half a sentence.
 */
export interface EntryAttachment extends Attachment {
  readonly problem?: string;
  /** What is said in it, written down by a machine. */
  readonly transcript?: string;
}

/** Where words stand whole of which only a part is shown. */
export interface WholeWords {
  /** Their beginning first. */
  readonly files: readonly KeptMedia[];
  /** Where they begin in the only file, in bytes. Absent: at its beginning, or somewhere in several. */
  readonly start?: number;
  /** What may be read at once, so that nothing of it has to be left out again. */
  readonly pieceBytes: number;
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
  /** Words that are shown shortened stand whole elsewhere. Never of an entry that was written when they came. */
  readonly whole?: WholeWords;
}

/**
 * What somebody said in a group to others. It is there to be understood, not to be obeyed: its sender has asked for nothing.
 */
export interface OverheardEntry {
  readonly kind: "overheard";
  readonly sender: Sender;
  readonly markdown: string;
  readonly at: Instant;
  /** See `UserEntry`. */
  readonly whole?: WholeWords;
}

export const instantSchema = z.iso.datetime() as unknown as z.ZodType<Instant, Instant>;

export const wholeWordsSchema = z.object({
  files: z.array(keptMediaSchema),
  start: z.int().nonnegative().exactOptional(),
  pieceBytes: z.int().positive(),
}) satisfies z.ZodType<WholeWords>;

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
  whole: wholeWordsSchema.exactOptional(),
});

export const overheardEntrySchema = z.object({
  kind: z.literal("overheard"),
  sender: senderSchema,
  markdown: z.string(),
  at: z.string() as unknown as z.ZodType<Instant, Instant>,
  whole: wholeWordsSchema.exactOptional(),
});
