/** UTF-16 units of one fact in a note; more is cut. */
const maxFactLength = 1_000;
/** Items of an order, or fields of a form. */
const maxFacts = 30;

/** One bracketed line about what a text cannot hold. Facts without anything to see are left out. */
export function note(kind: string, ...facts: readonly (string | undefined)[]): string {
  const shown = facts.map(clean).filter((fact) => fact !== "");
  return shown.length === 0 ? `[${kind}]` : `[${kind}: ${shown.join(", ")}]`;
}

/** At most thirty facts, and how many more there are. */
export function shortList(facts: readonly string[]): readonly string[] {
  if (facts.length <= maxFacts) return facts;
  return [...facts.slice(0, maxFacts), `and ${facts.length - maxFacts} more`];
}

/** On one line, without brackets that would end the note, and without characters that nobody sees. */
export function clean(fact = ""): string {
  const line = fact
    .slice(0, maxFactLength)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .replaceAll(/[[\]\p{Cf}]/gu, "");
  return line.trim();
}
