import type { Fact } from "@talaria/protocol";
import { charsOf } from "./limits.ts";

/** Guesses go before what was said, then what nobody has confirmed for the longest time, then what was used least. */
export function leastConfirmedFirst(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted(
    (one, other) =>
      Number(one.trust === "said") - Number(other.trust === "said") ||
      compare(one.confirmedAt, other.confirmedAt) ||
      one.uses - other.uses ||
      Number(one.id) - Number(other.id),
  );
}

/** Characters of facts as they count against the limit of their subject. */
export function charsIn(facts: readonly Pick<Fact, "text">[]): number {
  return facts.reduce((sum, { text }) => sum + charsOf(text) + 1, 0) - Math.min(1, facts.length);
}

/** Those that go, in order, for a new one of `chars` to have room. Undefined: it has none even then. */
export function overflowOf(
  inOrder: readonly Fact[],
  chars: number,
  most: number,
  mayGo: (fact: Fact) => boolean,
): readonly Fact[] | undefined {
  let used = charsIn(inOrder) + (inOrder.length > 0 ? 1 : 0) + chars;
  const going: Fact[] = [];
  for (const fact of inOrder) {
    if (used <= most) break;
    if (!mayGo(fact)) continue;
    going.push(fact);
    used -= charsOf(fact.text) + 1;
  }
  return used <= most ? going : undefined;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
