import type { Choice, ConversationId, Instant, MediaRef, StreamFrame, TurnId } from "@talaria/protocol";

/** One line of a web conversation as people see it. */
export interface WebLine {
  readonly id: string;
  readonly from: "person" | "agent";
  readonly displayName: string;
  readonly markdown: string;
  readonly at: Instant;
  /** What came with it, by the address below which the content is. */
  readonly files?: readonly WebFile[];
  readonly turnId?: TurnId;
  /** How many calls its turn has made, and how many of them failed. */
  readonly steps?: WebStepCount;
  /** How the turn behind an agent's line ended. */
  readonly outcome?: "completed" | "failed" | "aborted";
  /** The buttons below an agent's line. */
  readonly choices?: readonly Choice[];
  /** How the question ended, or what of it: `words` say so, and `choices` are the ids of those that decide nothing any more. */
  readonly closed?: { readonly words: string; readonly choices: readonly string[] };
}

export interface WebStepCount {
  readonly count: number;
  readonly failed: number;
}

/** What a turn did: the newest 200 calls, oldest first, each with the beginning of its result; `open` ones have none. */
export interface WebSteps {
  readonly steps: readonly (
    | { readonly label: string; readonly state: "open" }
    | {
        readonly label: string;
        readonly state: "done" | "failed";
        readonly result: string;
        readonly leftOutChars: number;
      }
  )[];
  /** How many calls came before them. */
  readonly earlier: number;
}

export interface WebFile {
  readonly ref: MediaRef;
  readonly name: string;
  readonly mimeType: string;
  readonly byteLength?: number;
}

export type WebSignal =
  /** A piece of a growing reply. Expendable. */
  | { readonly type: "frame"; readonly frame: StreamFrame }
  /** New lines may be in the history. */
  | { readonly type: "sent"; readonly conversationId: ConversationId };

/** What the web chat needs of the house: its history, and news from whichever process has them. */
export interface WebChannel {
  /** The newest `limit` lines, oldest first; those before `before` when given. */
  history(conversationId: ConversationId, limit: number, before?: Instant): Promise<readonly WebLine[]>;
  /** Those turns that have called something. */
  stepCounts(turnIds: readonly TurnId[]): Promise<ReadonlyMap<TurnId, WebStepCount>>;
  /** Of a turn that is not this conversation's: nothing. */
  steps(conversationId: ConversationId, turnId: TurnId): Promise<WebSteps>;
  /** Keeps a file as it comes. Throws `too_large` above the configured limits. */
  keep(content: AsyncIterable<Uint8Array>, claimedType: string, signal: AbortSignal): Promise<Omit<WebFile, "name">>;
  /** Tells every gateway that a line was added. Lossy. */
  announce(conversationId: ConversationId): void;
  /** Calls `receive` for every signal until the answer is called. */
  subscribe(receive: (signal: WebSignal) => void): () => void;
}
