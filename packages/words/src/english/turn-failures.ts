/** What people read when a turn fails, by the code of the failure. Names no secret and nothing internal. Behind what an operator alone can mend stands `turnNotices.tellOperator` or, for an owner, `ownersRemedy`. */
export const turnFailures = {
  auth: "I can't answer right now: my access to the language model was refused.",
  quota: "I can't answer right now: the credit for my language model is used up.",
  rate_limit: "My language model is getting too many requests right now. Please ask again in a minute.",
  overloaded: "My language model is overloaded right now. Please ask again in a few minutes.",
  server_error: "My language model failed (its server reports an error). Please ask again in a few minutes.",
  network: "I can't reach my language model right now. Please ask again in a few minutes.",
  stalled: "My language model stopped answering. Please ask again.",
  truncated: "The connection to my language model broke before the answer was complete. Please ask again.",
  context_full:
    "This is more than my language model can read, even with everything else left out. Please send less, or ask the person who runs me for a model with a larger context window.",
  thought_only:
    "My language model spent its whole answer thinking. Please ask for less at once. The person who runs me can raise its output limit (`maxOutputTokens`) or lower its effort.",
  runaway: "My language model went on and on, so I stopped it. Please ask for less at once, or in other words.",
  refusal: "My language model declined to answer this. Rephrasing may help.",
  not_found: "I can't answer right now: the language model I was given doesn't exist.",
  bad_request: "My language model rejected the request. The person who runs me can find the reason in the log.",
  empty_answer: "My language model returned an empty answer twice. Please ask again.",
  step_limit: 'I stopped because I reached the limit of steps for one answer. Say "continue" to go on.',
  output_limit: 'I stopped because this answer reached the length limit. Say "continue" to go on.',
  time_limit: 'I stopped here because this took too long. Say "continue" to go on.',
  repetition:
    'I stopped because I kept doing the same without getting any further. Suggest another way, or say "continue" to let me try again.',
  repeated_failure:
    'I stopped because the same action kept failing. Suggest another way, or say "continue" to let me try again.',
};
