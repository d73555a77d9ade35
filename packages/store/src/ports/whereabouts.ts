import type { Conversation, MessageId, SessionKey, TurnId, UserId } from "@talaria/protocol";

export interface WhereaboutsQuery {
  readonly sessionKey: SessionKey;
  readonly conversation: Pick<Conversation, "accountId" | "conversationId">;
  /** A message of a person, or one of ours that answered it. Absent: the last that `userId` wrote. */
  readonly messageId?: MessageId | undefined;
  readonly userId: UserId;
}

/** Where the answer to a message stands. */
export interface Whereabouts {
  /**
   * `waiting`: no turn has it yet. `dropped`: no turn will, since somebody stopped it or began anew. `set_aside`: none did, since workers
   * kept failing. `not_let_in`: its sender was a stranger then, and it was not kept. `refused_by_limit` and `stopped_by_limit`: those who asked have reached a limit. `running` and `asking`: a turn works on it, or waits for people. `sending` and `undelivered`: its answer is on its way,
   * or was given up. The others: how its turn ended.
   */
  readonly state:
    | "waiting"
    | "dropped"
    | "not_let_in"
    | "refused_by_limit"
    | "stopped_by_limit"
    | "set_aside"
    | "running"
    | "asking"
    | "sending"
    | "undelivered"
    | "completed"
    | "failed"
    | "aborted";
  /** How long it has been in it, in milliseconds. */
  readonly sinceMs: number;
  /** When that began: milliseconds since 1970 with their fractions, by the database's clock. Ages that two statements tell can't be compared. */
  readonly since: number;
  /** Messages of its session that wait before it, at most 100. */
  readonly ahead: number;
  /** A turn of its session is open. */
  readonly isBusy: boolean;
  readonly turnId?: TurnId;
  /** The conversation does not show the message to others. */
  readonly unseen?: true;
  /** What its turn does now, as people read it while it works: at most 200 characters, partly the model's. */
  readonly doing?: string;
}
