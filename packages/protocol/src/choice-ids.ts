const ofCall = /^[a-z]+-([0-9a-f]{8})(?:-|$)/;

/** The number of the call that a button below a question decides about. Undefined for the buttons of an answer. */
export function callOfChoice(choiceId: string): string | undefined {
  return ofCall.exec(choiceId)?.[1];
}

/** Whether buttons stand below a list of questions: a press decides some of them, and the others go on waiting below the message. */
export function decidesSeveral(choiceIds: readonly string[]): boolean {
  return new Set(choiceIds.map(callOfChoice).filter((id) => id !== undefined)).size > 1;
}
