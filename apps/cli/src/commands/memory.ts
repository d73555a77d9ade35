import type { Fact, FactScope } from "@talaria/protocol";
import { factsFile, idOnAccount } from "@talaria/sessions";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";
import { onePerson } from "./known-person.ts";

const dayChars = "2026-11-20".length;

type Options = Record<string, string | boolean | undefined>;

/** `talaria memory`: the newest facts that the agent keeps beyond conversations, all or those that hold the words. */
export function list(options: Options, words = ""): Promise<void> {
  return withStore(options, async ({ facts }) => {
    const found = await facts.list({ ...subjectOf(options), words: words.split(/\s+/).filter((word) => word !== "") });
    if (options.json === true) console.log(JSON.stringify(found, null, 2));
    else for (const line of found.length === 0 ? ["nothing is kept that fits"] : found.map(factLine)) console.log(line);
  });
}

/** `talaria memory remove NUMBER`: with what it had replaced. */
export function remove(options: Options, id = ""): Promise<void> {
  return withStore(options, async ({ facts }) => {
    const found = /^\d{1,16}$/.test(id) ? await facts.remove(id) : undefined;
    if (found === undefined) throw new Error(`nothing is kept under ${shownWord(id)}: see \`talaria memory\``);
    console.log(`removed: ${factLine(found)}`);
  });
}

/** `talaria memory export PERSON`: all that is kept about somebody, with sources and archive, as they get it by `/memory export`. */
export function exportAll(options: Options, who = ""): Promise<void> {
  return withStore(options, async ({ facts, pairing }, loaded) => {
    const person = idOnAccount(who) ?? (await onePerson(who, pairing, loaded));
    const kept = await facts.about(person);
    const day = new Date().toISOString().slice(0, dayChars);
    if (options.json === true) console.log(JSON.stringify(kept, null, 2));
    else process.stdout.write(factsFile(kept, person, day));
  });
}

function subjectOf({ person, group }: Options): { readonly scope?: FactScope; readonly key?: string } {
  if (typeof person === "string") return { scope: "person", key: person };
  return typeof group === "string" ? { scope: "group", key: group } : {};
}

/** Words of people, as JSON: they hold no control character then. */
export function factLine({ id, scope, key, text, trust, author, derived, confirmedAt, uses }: Fact): string {
  const about = scope === "agent" ? "agent" : `${scope} ${JSON.stringify(key)}`;
  const sources = [
    `by ${JSON.stringify(author)}`,
    ...(trust === "inferred" ? ["a guess"] : []),
    ...(derived.taint.length > 0 ? ["from what others wrote"] : []),
    ...(derived.audience === undefined
      ? []
      : [`seen in ${derived.audience.map((one) => JSON.stringify(one)).join(", ")}`]),
    `used ${uses}`,
  ];
  return `${id}  ${confirmedAt.slice(0, 10)}  ${about}: ${JSON.stringify(text)} (${sources.join(", ")})`;
}
