import type { FactScope } from "@talaria/protocol";

/** Characters of all facts of one subject together, with a break between each two. */
export const mostChars: Readonly<Record<FactScope, number>> = {
  agent: 2_200,
  person: 1_375,
  group: 1_375,
  workspace: 1_375,
};

/** Of one fact. Longer ones are several. */
export const mostFactChars = 500;

/** What is looked through before anything else is decided about a text. */
export const mostScannedChars = 65_536;

/** Facts that one change may replace or remove. */
export const mostChangedAtOnce = 50;

/** As people count them, not as UTF-16 does. */
export function charsOf(text: string): number {
  return [...text].length;
}
