import type { Attachment, Quote } from "@talaria/protocol";

/** What a thread stands below: a message of ours and what it answered, or a message to us and our answer. */
export interface ThreadHead {
  /** Ours. Absent where nothing was answered yet. */
  readonly markdown?: string;
  /** Files of ours, by their refs in the store. */
  readonly attachments?: readonly Attachment[];
  /** As it reads now. Absent where others can't see it, or it was taken back. */
  readonly asked?: Quote;
}

/** What a thread stands below, and whether its session knows. */
export interface FoundHead {
  /** For the first event of the session, or where the thread has begun. Absent: the message is neither ours nor to us, or no longer known. */
  readonly head?: ThreadHead;
  /** When the session had its newest event of the thread: milliseconds as in `Whereabouts.since`. Absent: it had none among its last ones. */
  readonly begun?: number;
}
