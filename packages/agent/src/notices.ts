import { english } from "@talaria/words";
import type { ModelFailureKind } from "./model.ts";

/** Why a turn failed. */
export type TurnFailureCode =
  | Exclude<ModelFailureKind, "aborted">
  | "empty_answer"
  | "step_limit"
  | "output_limit"
  | "time_limit"
  | "repeated_failure"
  | "repetition";

/** What people read when a turn fails, in English. */
export const notices: Readonly<Record<TurnFailureCode, string>> = english.turnFailures;
