/** What an owner says about a group that they were asked about. */
export const groupDecisions = ["allowed", "ignored", "left"] as const;

export type GroupDecision = (typeof groupDecisions)[number];
