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
  /** Somebody has stopped it before anybody could read it, or when its beginning was shown. Absent: it was given up. */
  readonly stopped?: "withheld" | "cut" | undefined;
}

export interface EndedCall {
  readonly id: string;
  readonly name: string;
  /** Their beginning, as the model wrote them. */
  readonly arguments: string;
}
