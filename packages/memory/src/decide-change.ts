import {
  type ArchiveReason,
  type Asker,
  type Derived,
  type Fact,
  type FactTrust,
  isAtLeast,
  joinDerived,
  mostCharsOfFacts,
  mostFactChars,
  type Role,
} from "@talaria/protocol";
import { factText } from "./fact-text.ts";
import { charsOf } from "./limits.ts";
import { leastConfirmedFirst, overflowOf } from "./room.ts";
import { whyNotKept } from "./scan-fact.ts";

export type FactChange =
  | { readonly action: "add"; readonly text: string; readonly trust: FactTrust; readonly about?: string }
  | { readonly action: "replace"; readonly ids: readonly string[]; readonly text: string; readonly trust: FactTrust }
  | { readonly action: "remove"; readonly ids: readonly string[] };

export interface NewFact {
  readonly text: string;
  readonly trust: FactTrust;
  readonly about?: string;
  readonly version: number;
  readonly derived: Derived;
}

/** What is written, all of it or nothing, to a subject that is as it was read. */
export interface FactWrite {
  readonly add?: NewFact;
  readonly archive: readonly { readonly id: string; readonly why: ArchiveReason }[];
  readonly confirm: readonly { readonly id: string; readonly trust: FactTrust }[];
  /** The new one has no room itself: others may not go for it. */
  readonly isArchived?: true;
}

/** What somebody can do about it, as a sentence that the model reads. */
export interface RefusedChange {
  readonly refused: string;
}

export interface Changing {
  /** All of the subject, as the version read with them has it. */
  readonly facts: readonly Fact[];
  /** Those of them that may be seen here. No other can be named. */
  readonly isSeen: (fact: Fact) => boolean;
  readonly scope: Fact["scope"];
  /** The weakest of everyone who asks. */
  readonly role: Role;
  /** What the turn is made of. */
  readonly derived: Derived;
}

/** What a change does. It is never refused for want of room: the least confirmed go to the archive. Pure. */
export function decideChange(change: FactChange, subject: Changing): FactWrite | RefusedChange {
  if (change.action === "add") return adding(change, [], subject);
  const named = [...new Set(change.ids)].map((id) =>
    subject.facts.find((fact) => fact.id === id && subject.isSeen(fact)),
  );
  const known = named.filter((fact) => fact !== undefined);
  if (known.length < named.length)
    return { refused: "`ids` names a fact that is not kept here any more: look at the list, and name those that are." };
  const [forbidden] = known.filter((fact) => !mayChange(fact, subject));
  if (forbidden !== undefined)
    return { refused: `Fact ${forbidden.id} was taught by somebody who may do more: ask them to correct it.` };
  if (change.action === "remove")
    return { archive: known.map(({ id }) => ({ id, why: "removed" as const })), confirm: [] };
  return adding(change, known, subject);
}

/** Whoever may do less than those who taught it leaves it as it is. */
export function mayChange({ derived }: Pick<Fact, "derived">, { role }: Pick<Changing, "role">): boolean {
  return derived.askers.every((asker: Asker) => isAtLeast(role, asker.role));
}

function adding(
  change: Extract<FactChange, { readonly text: string }>,
  replaced: readonly Fact[],
  subject: Changing,
): FactWrite | RefusedChange {
  const why = whyNotKept(change.text);
  if (why !== undefined) return { refused: `Not kept: ${why}.` };
  const text = factText(change.text);
  if (text === "") return { refused: "`text` is empty: say what is to be kept." };
  const chars = charsOf(text);
  if (chars > mostFactChars)
    return {
      refused: `\`text\` has ${chars} characters, and one fact at most ${mostFactChars}: say it shorter, or as several.`,
    };
  const rest = subject.facts.filter((fact) => !replaced.includes(fact));
  const same = rest.find((fact) => subject.isSeen(fact) && isSame(fact.text, text));
  const gone = replaced.map(({ id }) => ({ id, why: "replaced" as const }));
  if (same !== undefined) return { archive: gone, confirm: [{ id: same.id, trust: firmer(same.trust, change.trust) }] };
  const about = change.action === "add" ? change.about : replaced.find((fact) => fact.about !== undefined)?.about;
  const add: NewFact = {
    text,
    trust: change.trust,
    ...(about === undefined ? {} : { about }),
    version: Math.max(0, ...replaced.map(({ version }) => version)) + 1,
    // What replaces others may hold their words.
    derived: replaced.reduce((joined, { derived }) => joinDerived(derived, joined), subject.derived),
  };
  const going = overflowOf(leastConfirmedFirst(rest), chars, mostCharsOfFacts[subject.scope], (fact) =>
    mayChange(fact, subject),
  );
  if (going === undefined) return { add, archive: gone, confirm: [], isArchived: true };
  return { add, archive: [...gone, ...going.map(({ id }) => ({ id, why: "room" as const }))], confirm: [] };
}

function isSame(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[\s.]+$/, "");
  return plain(one) === plain(other);
}

function firmer(one: FactTrust, other: FactTrust): FactTrust {
  return one === "said" ? one : other;
}
