import { editDistance } from "@talaria/protocol";
import type { PairingStore } from "@talaria/store";
import type { LoadedHome } from "../load-home.ts";
import { shownWord } from "../shown-word.ts";
import { isCalled, type PersonName, withoutSign } from "./called.ts";
import { knownPeople } from "./people.ts";
import { nameWords } from "./place-words.ts";

/** Longer names are compared up to here. */
const longestName = 64;

/** Somebody or some group, by what names it and how it is shown. */
export interface Named {
  readonly names: readonly string[];
  readonly shown: string;
}

/** The one whom an operator means. Throws a sentence that names the nearest where nobody is called so, and all where several are. */
export async function onePerson(who: string, pairing: PairingStore, loaded: LoadedHome): Promise<PersonName> {
  const people = await peopleOf(pairing, loaded);
  const called = people.filter((one) => isCalled(one, who));
  const [person, ...others] = called;
  if (person === undefined) throw new Error(nobodyWords(who, people.map(namedPerson)));
  if (others.length > 0)
    throw new Error(`${shownWord(who)} names ${called.map(({ handle }) => handle).join(", ")}: choose one`);
  return person;
}

/** All who are in `talaria people`, and whoever else has written lately. */
export async function peopleOf(pairing: PairingStore, loaded: LoadedHome): Promise<readonly PersonName[]> {
  const [known, seen] = await Promise.all([knownPeople(pairing, loaded), pairing.seen()]);
  const keyOf = ({ accountId, userId }: Pick<PersonName, "accountId" | "userId">) => `${accountId}/${userId}`;
  const listed = new Set(known.map(keyOf));
  const others = seen.filter((one) => !listed.has(keyOf(one)));
  return [...known, ...others.map((one) => ({ ...one, handle: keyOf(one) }))];
}

/** `nobody is known as "Zoi": did you mean "Zoë Müller" (10002)?`. */
export function nobodyWords(who: string, known: readonly Named[], what = "nobody"): string {
  const nearest = nearestName(who, known);
  const hint = nearest === undefined ? "see `talaria people`" : `did you mean ${nearest.shown}?`;
  return `${what} is known as ${shownWord(who)}: ${hint}`;
}

export function namedPerson({ displayName, userId, username }: PersonName): Named {
  return { names: [displayName, username ?? "", userId], shown: nameWords(displayName, userId) };
}

/** Whose name, or a word of it, is closest to what was typed, if it is close enough to be meant. */
function nearestName(who: string, known: readonly Named[]): Named | undefined {
  const wanted = withoutSign(who).slice(0, longestName);
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = known
    .map((one) => ({ one, distance: Math.min(...one.names.flatMap(spellings).map((name) => far(wanted, name))) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.one;
}

function spellings(name: string): readonly string[] {
  const whole = withoutSign(name).slice(0, longestName);
  return [whole, ...whole.split(/\s+/)].filter((one) => one !== "");
}

/** A beginning is as near as one wrong letter. */
function far(wanted: string, name: string): number {
  return wanted.length > 1 && name.startsWith(wanted) ? 1 : editDistance(wanted, name);
}
