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

/** What people read when a turn fails. Names no secret and nothing internal. */
export const notices: Readonly<Record<TurnFailureCode, string>> = {
  auth: "My language model rejects my API key. The operator of this agent needs to replace it.",
  quota: "I can't answer: the quota for my language model is used up. The operator of this agent needs to add credit.",
  rate_limit: "My language model has reached its rate limit. Please ask again in a minute.",
  overloaded: "My language model is overloaded right now. Please ask again in a few minutes.",
  server_error: "My language model failed (its server reports an error). Please ask again in a few minutes.",
  network: "I can't reach my language model right now. Please ask again in a few minutes.",
  stalled: "My language model stopped answering. Please ask again.",
  truncated: "The connection to my language model broke before the answer was complete. Please ask again.",
  context_full:
    "My language model can't take this in, however much I leave out. The operator of this agent can give it a larger context window.",
  thought_only:
    "My language model used up its whole answer thinking. Ask for less at once; the operator of this agent can raise its output limit (`maxOutputTokens`) or lower its effort.",
  runaway:
    "My language model went on without an end, so I stopped it. Ask for less at once, or the same in other words.",
  refusal: "My language model declined to answer this. Rephrasing may help.",
  not_found:
    "My configured language model does not exist. The operator of this agent needs to correct its name or address.",
  bad_request: "My language model rejected the request. The operator of this agent can find the reason in the log.",
  empty_answer: "My language model returned an empty answer twice. Please ask again.",
  step_limit: 'I stopped because I reached the limit of steps for one answer. Say "continue" to go on.',
  output_limit: 'I stopped because this answer reached the length limit. Say "continue" to go on.',
  time_limit: 'I stopped here because this took too long. Say "continue" to go on.',
  repetition:
    'I stopped because I kept doing the same without getting any further. Suggest another way, or say "continue" to let me try again.',
  repeated_failure:
    'I stopped because the same action kept failing. Suggest another way, or say "continue" to let me try again.',
};
