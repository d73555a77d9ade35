import { z } from "zod";
import type { ProcessId } from "./ids.ts";
import type { WaitsFor } from "./settled-call.ts";

/** What a call asks people while it runs: choices, and where `takesWords`, whatever they write. */
export interface CallQuestion {
  readonly choices: readonly string[];
  readonly takesWords: boolean;
}

const callQuestionSchema = z.strictObject({
  choices: z.array(z.string().min(1).max(80)).max(25),
  takesWords: z.boolean(),
});

/** Of an answer in words. */
export const longestWords = 2_000;

/** Undefined unless the call is held by a worker in which it runs, and asks something. */
export function callQuestion(call: {
  readonly waitsFor: WaitsFor;
  readonly heldBy?: ProcessId;
  readonly arguments: string;
}): CallQuestion | undefined {
  if (call.waitsFor !== "form" || call.heldBy === undefined) return undefined;
  try {
    return callQuestionSchema.safeParse(JSON.parse(call.arguments)).data;
  } catch {
    return undefined;
  }
}
