import type { AskedCall } from "./authorise.ts";
import type { ToolResultEntry } from "./journal.ts";

/**
 * Which files of the workspace may hold words of strangers, so that they still count when somebody reads the file later, in another
 * conversation too.
 */
export interface FileTaint {
  /**
   * Before a call runs: marks what it may write, where strangers' words may get into it. `ofCode`: code makes the call, and may write
   * down what it brings. Rejects where that can't be kept: then the call does not run.
   */
  mark(asked: AskedCall, ofCode: boolean): Promise<void>;
  /** Whether what this call has brought may come from a marked file. Known once `mark` has resolved. */
  brings(asked: Pick<AskedCall, "tool" | "input">): boolean;
  /** Before strangers' words are written there: marks the path, relative to the workspace. Rejects as `mark`. */
  markPath(path: string): Promise<void>;
}

/** What stands in the place of a call whose files could not be marked. */
export const unmarkedText = "Error: not run, because the database does not answer. Try again in a minute.";

export type OneCall = Pick<AskedCall, "tool" | "call" | "input">;

/** The same in one turn. */
export interface MarkedCalls {
  /** `meanwhile`: what the code has got that makes the call; absent, the model makes it. */
  mark(one: OneCall, meanwhile?: readonly ToolResultEntry[]): Promise<void>;
  brings(one: Pick<OneCall, "tool" | "input">): boolean;
  markPath(path: string): Promise<void>;
}
