const ofCall = /^[a-z]+-([0-9a-f]{8})(?:-|$)/;

/** The number of the call that a button below a question decides about. Undefined for the buttons of an answer. */
export function callOfChoice(choiceId: string): string | undefined {
  return ofCall.exec(choiceId)?.[1];
}

const liftsHere = /^lift-[0-9a-f]{12}-here$/;

/**
 * Whether buttons stand below a question about calls, or a group's notice about a limit. Whether a press decides it, the house finds out, and
 * then writes into that message how it was decided.
 */
export function decidesCalls(choiceIds: readonly string[]): boolean {
  return choiceIds.some((id) => callOfChoice(id) !== undefined || liftsHere.test(id));
}
