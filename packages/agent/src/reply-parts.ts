import type { Choice, OutboundAttachment } from "@talaria/protocol";

/** A question with answers to choose from. */
export interface OfferedChoices {
  readonly question: string;
  readonly options: readonly Choice[];
}

/** What a tool adds to the reply of its turn. */
export interface ReplyParts {
  readonly attachments?: readonly OutboundAttachment[];
  /** Of several offers in one turn the last one counts. */
  readonly choices?: OfferedChoices;
}
