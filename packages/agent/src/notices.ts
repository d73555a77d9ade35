import type { ModelFailureKind } from "./model.ts";

/** Why a turn failed. */
export type TurnFailureCode =
  | Exclude<ModelFailureKind, "aborted">
  | "empty_answer"
  | "step_limit"
  | "output_limit"
  | "repeated_failure";

/** What people read when a turn fails. Names no secret and nothing of the inside. */
export const notices: Readonly<Record<TurnFailureCode, string>> = {
  auth: "I can't reach my language model: it refuses my credentials. The operator of this agent has to renew them.",
  quota: "I can't answer: the budget of my language model is used up. The operator of this agent has to top it up.",
  rate_limit: "My language model is getting too many requests right now. Please ask again in a minute.",
  overloaded: "My language model is overloaded right now. Please ask again in a few minutes.",
  network: "I can't reach my language model right now. Please ask again in a few minutes.",
  stalled: "My language model stopped answering. Please ask again.",
  truncated: "The connection to my language model broke before the answer was complete. Please ask again.",
  context_full: "This conversation has become too long for my language model. Start a new one with /new.",
  refusal: "My language model declined to answer this. Asking in another way may help.",
  not_found:
    "I can't reach my language model: it is not there under its configured name. The operator has to correct it.",
  bad_request: "My language model did not accept the request. The operator of this agent finds the reason in the log.",
  empty_answer: "My language model gave an empty answer, twice. Please ask again.",
  step_limit: 'I stopped: this took more steps than I may take in one go. Say "continue" if I should go on.',
  output_limit: 'I stopped: this reply has become as long as one may be. Say "continue" if I should go on.',
  repeated_failure: "I stopped: the same action kept failing. Please tell me how else I could try.",
};
