const ofCall = /^[a-z]+-([0-9a-f]{8})(?:-|$)/;

/** The number of the call that a button below a question decides about. Undefined for the buttons of an answer. */
export function callOfChoice(choiceId: string): string | undefined {
  return ofCall.exec(choiceId)?.[1];
}

/** Whether buttons stand below a question about calls. Whether a press decides it, the house finds out, and then shows how it was decided. */
export function decidesCalls(choiceIds: readonly string[]): boolean {
  return choiceIds.some((id) => callOfChoice(id) !== undefined);
}
