import {
  type Attachment,
  attachmentSchema,
  type EventId,
  type Instant,
  type Quote,
  quoteSchema,
  type Role,
  roleSchema,
  type Sender,
  senderSchema,
  type ValueSpan,
  valueSpanSchema,
} from "@talaria/protocol";
import { z } from "zod";
import { type KeptMedia, keptMediaSchema, type Unopened, unopenedSchema } from "./kept-media.ts";

/**
 * A file that came with a message. Once it is kept, `ref` is `sha256:` and its hash, and type and length are those of the
 * bytes; else `ref` is the platform's and `problem` says why, in half a sentence, or `unopened` where it may be had.
 */
export interface EntryAttachment extends Attachment {
  readonly problem?: string;
  readonly unopened?: Unopened;
  /** What is said in it, written down by a machine. */
  readonly transcript?: string;
}

/** The message that another one answers, with its files as they are here. */
export interface EntryQuote extends Quote {
  readonly attachments?: readonly EntryAttachment[];
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
  readonly quote?: EntryQuote;
  /** Parts of `markdown` that somebody else wrote. */
  readonly values?: readonly ValueSpan[];
  readonly at: Instant;
  readonly edited?: true;
  /** They wrote nothing: `markdown` names the button that they pressed, in words that are the agent's. */
  readonly pressed?: true;
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
  /** Fetched only when the model opens them. */
  readonly attachments?: readonly EntryAttachment[];
  /** So many more came with it. */
  readonly moreFiles?: number;
  readonly quote?: EntryQuote;
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

const attachments = z.array(
  attachmentSchema.extend({
    problem: z.string().exactOptional(),
    unopened: unopenedSchema.exactOptional(),
    transcript: z.string().exactOptional(),
  }),
) satisfies z.ZodType<readonly EntryAttachment[]>;

const quote = quoteSchema.extend({ attachments: attachments.exactOptional() });

export const userEntrySchema = z.object({
  kind: z.literal("user"),
  eventId: z.string().min(1) as unknown as z.ZodType<EventId, EventId>,
  sender: senderSchema,
  role: roleSchema.exactOptional(),
  markdown: z.string(),
  attachments,
  quote: quote.exactOptional(),
  values: z.array(valueSpanSchema).exactOptional(),
  at: instantSchema,
  edited: z.literal(true).exactOptional(),
  pressed: z.literal(true).exactOptional(),
  whole: wholeWordsSchema.exactOptional(),
});

export const overheardEntrySchema = z.object({
  kind: z.literal("overheard"),
  sender: senderSchema,
  markdown: z.string(),
  attachments: attachments.exactOptional(),
  moreFiles: z.int().positive().exactOptional(),
  quote: quote.exactOptional(),
  at: z.string() as unknown as z.ZodType<Instant, Instant>,
  whole: wholeWordsSchema.exactOptional(),
});
