import type { Conversation, MessageId, TurnId } from "@talaria/protocol";
import type { Chosen, SessionLease, StoredEntry, StoredGrant } from "@talaria/store";
import type { AbortReason } from "./running-turns.ts";

/** A turn that this worker holds. */
export interface ClaimedTurn {
  readonly lease: SessionLease;
  readonly turnId: TurnId;
  readonly firstSeq: number;
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  /** The session's own conversation; `route` may lead elsewhere. */
  readonly conversation: Conversation;
  readonly prompt: string;
  /** What is kept beyond the memory, as its prompt tells it at the end. */
  readonly facts: string;
  /** What the prompt was shown of servers' tools, as `ToolsFor` has said it. */
  readonly tools?: string;
  readonly history: readonly StoredEntry[];
  readonly journal: readonly StoredEntry[];
  /** What people have agreed to before. */
  readonly grants: readonly StoredGrant[];
  /** Calls of other turns here that wait for approval. */
  readonly questions: number;
  /** Somebody waits behind this turn: it doesn't wait for calls that are answered later. */
  readonly isHurried?: boolean;
  /** A process that held it died or failed in the middle. */
  readonly isRecovered?: boolean;
  /** What people have chosen to be answered with. */
  readonly chosen?: Chosen;
  /** Somebody has asked for the conversation to be shortened. */
  readonly compact?: boolean;
}

/** All of what the model is told before the conversation. */
export function systemOf({ prompt, facts }: Pick<ClaimedTurn, "prompt" | "facts">): string {
  return facts === "" ? prompt : `${prompt}\n\n${facts}`;
}

export type CutShort = Exclude<AbortReason, "shutdown" | "lost">;
