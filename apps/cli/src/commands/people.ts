import { type ListedPerson, listedPeople, readConfigFile } from "@talaria/config";
import { isUserIdOn } from "@talaria/platforms";
import { type AccountId, brandAs, type UserId } from "@talaria/protocol";
import {
  type IdOnAccount,
  idOnAccount,
  isAnsweredInGroups,
  type PersonVerb,
  peopleMeant,
  personDecision,
  welcomesFor,
} from "@talaria/sessions";
import type { MetGroup, PairingRow, PairingStore } from "@talaria/store";
import type { LoadedHome } from "../load-home.ts";
import { withStore } from "../open-store.ts";
import { wordsAt } from "../shell/working-words.ts";
import { shownWord } from "../shown-word.ts";
import { isCalled } from "./called.ts";
import { decidedWords } from "./decided-words.ts";
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

/**
 * `talaria people add|ignore|block|remove WHO`: a code, an id or its beginning, a number, or, except for `add`, a name. `add` takes
 * `<account>/<id>` of somebody who has not asked, `ignore` and `block` take `all` who wait.
 */
export function decide(verb: PersonVerb): (options: Options, who?: string) => Promise<void> {
  return (options, who = "") =>
    withStore(options, async ({ groups, pairing }, loaded) => {
      if (who.toLowerCase() === "all" && (verb === "ignore" || verb === "block")) {
        console.log(await wordsAt(process.stdout, await decideAll(pairing, verb, await knownPeople(pairing, loaded))));
        return;
      }
      const { row, sessionKey } = await decideAbout(pairing, verb, who, () => knownPeople(pairing, loaded), loaded);
      const listed = listedAs(row, await knownPeople(pairing, loaded));
      const isAnswered = sessionKey !== undefined;
      const inGroups = listed === undefined && isInGroups(row, loaded.config, await groups.list());
      const done = decidedWords(verb, row, { isAnswered, inGroups, isListed: listed !== undefined });
      console.log(await wordsAt(process.stdout, done));
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
  const added =
    verb === "add" || verb === "block" ? await decideUnlisted(pairing, verb, who, known, { home, config }) : undefined;
  if (added !== undefined) return { row: added };
  const row = (await pairing.find(who)) ?? (await meant(pairing, verb, who, known, { home, config }));
  const listed = listedAs(row, await known());
  const decision = personDecision(verb, row);
  if (listed !== undefined && (verb !== "remove" || decision === undefined))
    throw new Error(`nothing was done: ${stillListed(listed, home.configFile)}`);
  if (decision === undefined) throw new Error(`nothing was done: ${personWords(row)} is ${stands[row.state]}`);
  if (decision.to === "approved") refuseClosed(row.accountId, config);
  const decided = await pairing.decide(decision);
  if (decided === undefined)
    throw new Error(
      `nothing was done: somebody else has decided about ${personWords(row)} just now, see \`talaria people\``,
    );
  return { row, ...decided };
}

/** Everybody who waits and is not in the configuration, each for themselves. The sentence that says how many there were. */
export async function decideAll(
  pairing: Pick<PairingStore, "list" | "decide">,
  verb: "ignore" | "block",
  known: readonly KnownPerson[],
): Promise<string> {
  let count = 0;
  for (const row of await pairing.list()) {
    const isMeant = row.state === "waiting" && listedAs(row, known) === undefined;
    const decision = isMeant ? personDecision(verb, row) : undefined;
    if (decision !== undefined && (await pairing.decide(decision)) !== undefined) count += 1;
  }
  if (count === 0) return "nobody waits";
  const people = count === 1 ? "1 person" : `${count} people`;
  return verb === "ignore"
    ? `ignored for a day: ${people}`
    : `blocked: ${people}. \`talaria people remove\` ends that for one`;
}

/** Undefined: the words name nobody on an account, or somebody about whom there is something to decide. */
async function decideUnlisted(
  pairing: PairingStore,
  verb: "add" | "block",
  who: string,
  known: () => Promise<readonly KnownPerson[]>,
  { home, config }: Pick<LoadedHome, "home" | "config">,
): Promise<PairingRow | undefined> {
  const meant = idOnAccount(who) ?? (verb === "block" ? await writerMeant(pairing, who, known) : undefined);
  const account = meant && config.accounts[meant.accountId];
  if (meant === undefined || account === undefined) return undefined;
  const isMeant = (one: Pick<PairingRow, "accountId" | "userId">) =>
    one.accountId === meant.accountId && one.userId === meant.userId;
  if ((await pairing.list()).some(isMeant)) return undefined;
  const listed = listedAs(meant, await known());
  if (listed !== undefined) throw new Error(`nothing was done: ${stillListed(listed, home.configFile)}`);
  if (!(await isUserIdOn(account.platform, meant.userId)))
    throw new Error(`nothing was done: ${shownWord(meant.userId)} is not the id of a person on ${account.platform}`);
  if (verb === "add") refuseClosed(meant.accountId, config);
  await pairing.add({ ...meant, to: verb === "add" ? "approved" : "blocked", ...welcomesFor({}) });
  return (await pairing.list()).find(isMeant);
}

/**
 * Whoever has written with this id, or was refused, and is in no list. Throws a sentence where that is so on several accounts. Undefined:
 * nobody, or somebody about whom there is something to decide.
 */
async function writerMeant(
  pairing: PairingStore,
  who: string,
  known: () => Promise<readonly KnownPerson[]>,
): Promise<(IdOnAccount & { readonly displayName?: string }) | undefined> {
  const userId = brandAs<UserId>(who.split(":user:").at(-1) ?? who);
  if ((await pairing.list()).some((row) => row.userId === userId || row.id.startsWith(who.toLowerCase())))
    return undefined;
  if ((await known()).some((one) => isListed(one) && one.userId === userId)) return undefined;
  const [only, ...others] = await pairing.seenAs(userId);
  if (only === undefined) return undefined;
  if (others.length === 0) return { ...only, userId };
  const places = [only, ...others].map(({ accountId }) => `${accountId}/${userId}`);
  throw new Error(`${shownWord(who)} has written on several accounts; name one: ${places.join(", ")}`);
}

function refuseClosed(accountId: AccountId, config: LoadedHome["config"]): void {
  const { direct } = config.accounts[accountId]?.access ?? {};
  if (direct === undefined || direct === "pairing") return;
  throw new Error(
    `nothing was done: accounts.${accountId}.access.direct is ${direct}, so only the configuration lets people in there`,
  );
}

function codeEnded(row: PairingRow, verb: PersonVerb): Error {
  const who = personWords(row);
  return new Error(
    row.state === "waiting"
      ? `nothing was done: this code has ended, since codes hold for 10 minutes. It was that of ${who}, who still waits: \`talaria people ${verb} ${row.id.slice(0, 8)}\``
      : `nothing was done: this code has ended. It was that of ${who}, who is ${stands[row.state]}`,
  );
}

const stands = {
  waiting: "waiting",
  approved: "let in already",
  ignored: "ignored already: use `talaria people block` for good, or `talaria people add`",
  blocked: "blocked already",
  removed: "removed already",
} as const satisfies Record<PairingRow["state"], string>;

async function meant(
  pairing: PairingStore,
  verb: PersonVerb,
  who: string,
  known: () => Promise<readonly KnownPerson[]>,
  { home, config }: Pick<LoadedHome, "home" | "config">,
): Promise<PairingRow> {
  const ended = await pairing.findByEndedCode(who);
  if (ended !== undefined && listedAs(ended, await known()) === undefined) throw codeEnded(ended, verb);
  const rows = await pairing.list();
  const ofFile = (await known()).find((one) => isListed(one) && hasId(one, who, config));
  if (ofFile !== undefined && peopleMeant(rows, who, false).length === 0)
    throw new Error(`nothing was done: ${stillListed(ofFile, home.configFile)}`);
  try {
    const platformOf = (accountId: AccountId) => config.accounts[accountId]?.platform;
    return pairedPerson(rows, who, verb !== "add" && (await isName(pairing, who)), platformOf);
  } catch (error) {
    const called = (await known()).filter((one) => isCalled(one, who));
    const listed = called.find(isListed);
    const asUsername = verb !== "add" && who.startsWith("@") && called.length === 1 ? called[0] : undefined;
    const row =
      asUsername && rows.find((one) => one.accountId === asUsername.accountId && one.userId === asUsername.userId);
    if (row !== undefined) return row;
    if (listed === undefined) throw error;
    throw new Error(`nothing was done: ${stillListed(listed, home.configFile)}`, { cause: error });
  }
}

function listedAs(
  { accountId, userId }: Pick<PairingRow, "accountId" | "userId">,
  known: readonly KnownPerson[],
): KnownPerson | undefined {
  return known.find((one) => isListed(one) && one.accountId === accountId && one.userId === userId);
}

/** Words that are the id of somebody who has written are not looked for among the names that strangers choose. */
async function isName(pairing: Pick<PairingStore, "seenAs">, who: string): Promise<boolean> {
  if (idOnAccount(who) !== undefined || /^[a-z]+:user:/.test(who)) return false;
  return (await pairing.seenAs(brandAs<UserId>(who))).length === 0;
}

/** Whether the words are their id. Strangers may call themselves by it. */
function hasId({ accountId, userId }: KnownPerson, who: string, { accounts }: LoadedHome["config"]): boolean {
  const wanted = who.trim().toLowerCase();
  const id = userId.toLowerCase();
  return [id, `${accountId}/${id}`, `${accounts[accountId]?.platform}:user:${id}`].includes(wanted);
}

function isListed(person: KnownPerson): boolean {
  return "key" in person.from;
}

function stillListed(person: KnownPerson, file: string): string {
  const place = "key" in person.from ? placeInFile(person.from, file) : "";
  return `${personWords(person)} is in ${place}: only that file can take it back`;
}

function isInGroups({ accountId }: PairingRow, { accounts }: LoadedHome["config"], met: readonly MetGroup[]): boolean {
  const account = accounts[accountId];
  return account !== undefined && isAnsweredInGroups(accountId, account.access, met);
}

/** Everybody who is shown by `talaria people`. */
export async function knownPeople(
  pairing: PairingStore,
  { config, home }: LoadedHome,
): Promise<readonly KnownPerson[]> {
  const [rows, seen, listed] = await Promise.all([pairing.list(), pairing.seen(), fromFile(home.configFile)]);
  return everybody({ listed, accounts: config.accounts, rows, seen });
}

async function fromFile(file: string): Promise<readonly ListedPerson[]> {
  const text = await readConfigFile(file);
  return text === undefined ? [] : listedPeople(text);
}
