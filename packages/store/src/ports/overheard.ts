import type { Attachment, EventId, Instant, MessageId, Quote, Sender } from "@talaria/protocol";

/** A conversation or a thread, and how much is kept of what people say there to each other. */
export interface HearingLimits {
  readonly place: string;
  /** With words, and as many more that are only files. */
  readonly messages: number;
  readonly maxAgeMs: number;
}

/** Something said in a group, but not to us. */
export interface Overheard {
  readonly messageId: MessageId;
  /** What its files are fetched by, if ever. Absent in rows of earlier releases. */
  readonly eventId?: EventId;
  readonly sender: Sender;
  readonly markdown: string;
  /** As the platform describes them: nobody has fetched them. */
  readonly attachments?: readonly Attachment[];
  /** So many more were with it. */
  readonly moreFiles?: number;
  readonly quote?: Quote;
  readonly at: Instant;
}
