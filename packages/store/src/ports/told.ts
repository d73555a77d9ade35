import type { Instant } from "@talaria/protocol";

/** A text that was sent to the session's conversation by a turn of another one. */
export interface Said {
  readonly id: number;
  readonly markdown: string;
  readonly at: Instant;
}

/** A text of the session that the platform did not take, as far as anybody knows. */
export interface UndeliveredText {
  readonly id: number;
  /** Its beginning. */
  readonly markdown: string;
  /** A part of it was sent, or may have been. */
  readonly mayHaveArrived: boolean;
}

export interface EndedCall {
  readonly id: string;
  readonly name: string;
  /** Their beginning, as the model wrote them. */
  readonly arguments: string;
}
