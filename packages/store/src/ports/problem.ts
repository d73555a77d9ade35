import type { ConversationRef } from "./shut-places.ts";

/** Something that an operator has to mend. */
export interface Problem {
  readonly kind:
    | "gateway"
    | "worker"
    | "model"
    | "account"
    | "workplace"
    | "database"
    | "queue"
    | "place"
    | "configuration";
  /** The same as long as the same thing is in trouble, whatever `code` it has: `model:main`, `account:telegram-main`. */
  readonly key: string;
  readonly code: string;
  /** What is wrong, since when if that is known, and the command or setting that mends it. Names no secret. */
  readonly line: string;
  /** Somebody who writes gets no answer because of it. */
  readonly stopsAnswers: boolean;
  /** Nothing is broken here: good to know, and others may have to act. */
  readonly isNote?: true;
  /** It may pass by itself, and was seen at this time last (ISO 8601). Absent: it lasts. */
  readonly seenAt?: string;
  readonly since?: string;
  /** Of a model: when it failed last (ISO 8601), as far as workers have reported. */
  readonly failedAt?: string;
  /** Owners are told when it has lasted so long: it may pass by itself, or things have just begun. */
  readonly graceMs: number;
  /** Owners are not told there: nothing arrives. */
  readonly notIn?: readonly ConversationRef[];
  /** What the line names that is over by itself, with when it was seen last (ISO 8601). */
  readonly covers?: readonly { readonly key: string; readonly seenAt: string }[];
}

/** Gateway and workers of this machine are away on purpose, since a time (ISO 8601). */
export interface PlannedAbsence {
  readonly kind: "restart" | "stop";
  readonly since: string;
}
