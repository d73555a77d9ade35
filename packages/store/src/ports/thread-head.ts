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
