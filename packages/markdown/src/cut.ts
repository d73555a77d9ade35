import type { Ruler } from "./ruler.ts";
import type { Steps } from "./steps.ts";

/** A text cut in two. Each side is complete Markdown: what was open at the cut is closed in `head` and reopened in `tail`. */
export interface Cut {
  readonly head: string;
  readonly tail: string;
  /** The tail has lost its indentation, so text that followed the original can't simply follow it. */
  readonly dedented?: true;
}

/** Where a piece of text has to fit: in a message, behind or inside what surrounds it there. */
export interface Room {
  readonly ruler: Ruler;
  /** The piece with what surrounds it. */
  readonly whole: (piece: string) => string;
}

/** The room inside something: `wrap` puts that around a piece. */
export function inside({ ruler, whole }: Room, wrap: (piece: string) => string): Room {
  return { ruler, whole: (piece) => whole(wrap(piece)) };
}

export function* fits({ ruler, whole }: Room, piece: string): Steps<boolean> {
  return (yield* ruler.share(whole(piece))) <= 1;
}
