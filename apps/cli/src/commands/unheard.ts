import { plainName } from "@talaria/protocol";
import type { MetGroup, RecentQuery, Store } from "@talaria/store";
import type { LoadedHome } from "../load-home.ts";
import { shownWord } from "../shown-word.ts";
import { isCalled, type PersonName } from "./called.ts";
import { type Named, namedPerson, nobodyWords, peopleOf } from "./known-person.ts";
import { nameWords } from "./place-words.ts";

type Sought = Pick<RecentQuery, "person" | "conversation" | "either">;

/** Why no message was found: nobody is known by the words, with the nearest who is, or those who are known have written none lately. */
export async function unheardWords(
  { person, conversation, either }: Sought,
  { pairing, groups }: Pick<Store, "pairing" | "groups">,
  loaded: LoadedHome,
): Promise<string> {
  const [people, met] = await Promise.all([peopleOf(pairing, loaded), groups.list()]);
  const isPerson = (words: string) => people.some((one) => isCalled(one, words));
  const isGroup = (words: string) => met.some((one) => isTitled(one, words));
  const [named, titled] = [people.map(namedPerson), met.map(namedGroup)];
  if (person !== undefined && !isPerson(person)) return nobodyWords(person, named);
  if (conversation !== undefined && !isGroup(conversation) && !isPerson(conversation))
    return nobodyWords(conversation, [...titled, ...named], "no conversation");
  if (either !== undefined && !isPerson(either) && !isGroup(either))
    return nobodyWords(either, [...named, ...titled], "nobody and no group");
  const of = shownOf(person ?? either, people);
  const where = conversation === undefined ? "" : ` in ${JSON.stringify(conversation)}`;
  return `no message${of === undefined ? "" : ` of ${of}`}${where} has arrived lately: if one was written, look at the account in \`talaria status\`, and on its platform whether the agent may read there`;
}

function shownOf(words: string | undefined, people: readonly PersonName[]): string | undefined {
  if (words === undefined) return undefined;
  const called = people.filter((one) => isCalled(one, words));
  const [only] = called;
  return only !== undefined && called.length === 1 ? namedPerson(only).shown : shownWord(words);
}

function isTitled({ accountId, conversationId, title = "" }: MetGroup, words: string): boolean {
  return (
    conversationId === words ||
    `${accountId}/${conversationId}` === words ||
    (plainName(words) !== "" && plainName(title).includes(plainName(words)))
  );
}

function namedGroup({ title = "", conversationId }: MetGroup): Named {
  return { names: [title, conversationId], shown: nameWords(title, conversationId) };
}
