import { type ListedPerson, listedPeople, readConfigFile } from "@talaria/config";
import { type PersonVerb, personDecision } from "@talaria/sessions";
import type { PairingRow, PairingStore } from "@talaria/store";
import type { LoadedHome } from "../load-home.ts";
import { withStore } from "../open-store.ts";
import { everybody, type KnownPerson, peopleLines, placeInFile } from "./everybody.ts";
import { pairedPerson, personWords } from "./paired-person.ts";

type Options = Record<string, string | boolean | undefined>;

/** `talaria people`: owners, those in the lists of accounts, those whom somebody let in, ignores, blocks or removed, and those who wait. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ pairing }, loaded) => {
    const people = await knownPeople(pairing, loaded);
    if (options.json === true) console.log(JSON.stringify(people, null, 2));
    else for (const line of peopleLines(people, loaded.home.configFile, Date.now())) console.log(line);
  });
}

/** `talaria people add|ignore|block|remove WHO`: a code, an id or its beginning, a number, or, except for `add`, a name. */
export function decide(verb: PersonVerb): (options: Options, who?: string) => Promise<void> {
  return (options, who = "") =>
    withStore(options, async ({ pairing }, loaded) => {
      const { row, sessionKey } = await decideAbout(pairing, verb, who, () => knownPeople(pairing, loaded), loaded);
      console.log(doneWords(verb, row, sessionKey !== undefined));
      const still = (await knownPeople(pairing, loaded)).filter(
        (one) => one.accountId === row.accountId && one.userId === row.userId && isListed(one),
      );
      const [listed] = still;
      if (verb !== "add" && listed !== undefined) throw new Error(`but ${stillListed(listed, loaded.home.configFile)}`);
    });
}

/**
 * Does it. Throws a sentence where nobody is meant for certain, the person stands so already, or only the configuration says that
 * they may talk.
 */
export async function decideAbout(
  pairing: PairingStore,
  verb: PersonVerb,
  who: string,
  known: () => Promise<readonly KnownPerson[]>,
  { home, config }: Pick<LoadedHome, "home" | "config">,
): Promise<{ readonly row: PairingRow; readonly sessionKey?: string }> {
  const row = (await pairing.find(who)) ?? (await meant(pairing, verb, who, known, home.configFile));
  const decision = personDecision(verb, row);
  if (decision === undefined) throw new Error(`nothing was done: ${personWords(row)} is ${stands[row.state]}`);
  const { direct } = config.accounts[row.accountId]?.access ?? {};
  if (decision.to === "approved" && direct !== undefined && direct !== "pairing")
    throw new Error(
      `nothing was done: accounts.${row.accountId}.access.direct is ${direct}, so only the configuration lets people in there`,
    );
  const decided = await pairing.decide(decision);
  if (decided === undefined)
    throw new Error(
      `nothing was done: somebody else has decided about ${personWords(row)} just now, see \`talaria people\``,
    );
  return { row, ...decided };
}

const stands = {
  waiting: "waiting",
  approved: "let in already",
  ignored: "ignored already: use `people block` for good, or `people add`",
  blocked: "blocked already",
  removed: "removed already",
} as const satisfies Record<PairingRow["state"], string>;

async function meant(
  pairing: PairingStore,
  verb: PersonVerb,
  who: string,
  known: () => Promise<readonly KnownPerson[]>,
  file: string,
): Promise<PairingRow> {
  try {
    return pairedPerson(await pairing.list(), who, verb !== "add");
  } catch (error) {
    const [listed] = (await known()).filter((one) => isListed(one) && isCalled(one, who));
    if (listed === undefined) throw error;
    throw new Error(`nothing was done: ${stillListed(listed, file)}`, { cause: error });
  }
}

function isListed(person: KnownPerson): boolean {
  return "key" in person.from;
}

function isCalled({ userId, displayName }: KnownPerson, who: string): boolean {
  const wanted = who.trim().toLowerCase();
  const principal = wanted.split(":").slice(2).join(":");
  const id = userId.toLowerCase();
  return id === wanted || id === principal || (wanted !== "" && displayName.trim().toLowerCase() === wanted);
}

function stillListed(person: KnownPerson, file: string): string {
  const place = "key" in person.from ? placeInFile(person.from, file) : "";
  return `${personWords(person)} is in ${place}: only that file can take it back`;
}

function doneWords(verb: PersonVerb, row: PairingRow, isAnswered: boolean): string {
  const who = personWords(row);
  switch (verb) {
    case "add":
      return `let in: ${who}${isAnswered ? ", who gets an answer to what they wrote" : ""}`;
    case "ignore":
      return `ignored for a day: ${who}`;
    case "block":
      return `blocked: ${who}. \`people remove\` ends that`;
    case "remove":
      return row.state === "approved"
        ? `removed: ${who}`
        : `forgotten: ${who}, who had no access. Writing again asks for a new code`;
    default:
      return verb satisfies never;
  }
}

async function knownPeople(pairing: PairingStore, { config, home }: LoadedHome): Promise<readonly KnownPerson[]> {
  const [rows, seen, listed] = await Promise.all([pairing.list(), pairing.seen(), fromFile(home.configFile)]);
  return everybody({ listed, accounts: config.accounts, rows, seen });
}

async function fromFile(file: string): Promise<readonly ListedPerson[]> {
  const text = await readConfigFile(file);
  return text === undefined ? [] : listedPeople(text);
}
