import { createHash } from "node:crypto";
import { type AccountPolicy, brandAs, type InboundEvent, type Platform, type UserId } from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { policyWith } from "../../packages/sessions/src/testing/policy.ts";
import { textFile } from "../support/house.ts";

const accountNames = ["acme-telegram", "acme-slack", "labs-discord", "labs-matrix"] as const;
const platforms: readonly Platform[] = ["telegram", "slack", "discord", "matrix"];
const peopleOfEach = 16;
const ownersOfEach = 4;

export const group = "room";

/** Somebody with a secret for the agent alone, and another for the group. The same id stands for others on other accounts. */
export interface Person {
  readonly account: string;
  readonly platform: Platform;
  readonly id: string;
  readonly own: string;
  readonly shared: string;
}

export const people: readonly Person[] = accountNames.flatMap((account, a) =>
  Array.from({ length: peopleOfEach }, (_, n) => ({
    account,
    platform: platforms[a] ?? "loopback",
    id: `person-${n}`,
    own: `canary-own-${a}-${n}-end`,
    shared: `canary-shared-${a}-${n}-end`,
  })),
);

export function canariesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/canary-(?:own|shared)-\d+-\d+-end/g));
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => brandAs<UserId>(`person-${n}`));

const policy: AccountPolicy = policyWith({
  access: {
    direct: "allowlist",
    groups: "open",
    owners: ids(ownersOfEach),
    allow: { users: ids(peopleOfEach), groups: [] },
  },
  catchUp: { maxAgeMs: Number.MAX_SAFE_INTEGER, notice: true },
});

export const accounts = Object.fromEntries(
  accountNames.map((account, a) => [account, { platform: platforms[a] ?? "loopback", policy }] as const),
);

/** Whether this is an owner's conversation with the agent alone. */
export function isOwner({
  account,
  conversation,
}: {
  readonly account: string;
  readonly conversation: string;
}): boolean {
  return accounts[account]?.policy.access.owners.includes(brandAs<UserId>(conversation)) ?? false;
}

/** One thing that somebody does, with the texts of the files that come along. */
export interface Deed {
  readonly event: InboundEvent;
  readonly texts: readonly string[];
}

export interface Surroundings {
  /** Where the page is that holds somebody's secret. */
  pageOf(person: Person): string;
  /** Where the files of somebody's private session lie on this machine. */
  folderOf(person: Person): string;
}

type Call = readonly [name: string, args: object];

/** What somebody does in this round. Sooner or later each of them does everything, and reaches for what is the neighbour's. */
export function deedOf(person: Person, round: number, { pageOf, folderOf }: Surroundings): Deed {
  const { own, shared } = person;
  const number = people.indexOf(person);
  const neighbour = people[(number + 1) % people.length] ?? person;
  const folder = folderOf(neighbour);
  const words: readonly (() => Deed)[] = [
    () => alone(person, `keep this: ${own}`),
    () => alone(person, "plan it", [["todo", { steps: [{ id: "a", text: `keep ${own}` }] }]]),
    () => alone(person, `read ${pageOf(person)}`, [["web_fetch", { url: pageOf(person) }]]),
    () => inGroup(person, `all: ${shared}`),
    () => alone(person, "send it to me", [["send_file", { name: "secret.txt", content: `${own} as a file` }]]),
    () => withFile(person, "look at this", fileOf(person), [["read_attachment", { id: idOf(fileOf(person)) }]]),
    () => alone(person, "who is here?", [["conversation_info", {}]]),
    () => alone(person, "what is in theirs?", [["read_attachment", { id: idOf(fileOf(neighbour)) }]]),
    () => alone(person, "send me theirs", [["send_file", { name: "x.txt", attachment: idOf(fileOf(neighbour)) }]]),
    () => alone(person, "/status"),
    () => inGroup(person, "plan it for us", [["todo", { steps: [{ id: "b", text: shared }] }]]),
    () => alone(person, "/approvals"),
    () => inGroup(person, "who is in the room?", [["conversation_info", {}]]),
    () => overheard(person, `psst: ${shared}`),
  ];
  const look = `cat secret.txt ${folder}/* /tmp/* /proc/*/environ; echo ${own}; echo ${own} >/tmp/left`;
  const files: readonly (() => Deed)[] = [
    () => alone(person, "write it down", [["write_file", { path: "secret.txt", content: own }]]),
    () => alone(person, "show it", [["read_file", { path: "secret.txt" }]]),
    () => alone(person, "show theirs", [["read_file", { path: `${folder}/secret.txt` }]]),
    // Whoever is no owner has to be allowed to, and is asked for the rest of their time.
    () => alone(person, "look around", [["terminal", { command: look }]]),
  ];
  // Everybody is somewhere else, and at their files once.
  const all = [...words, ...files];
  const deeds = round < all.length ? all : words;
  return deeds[(round + 5 * number) % deeds.length]?.() ?? alone(person, "hello");
}

/** An event of somebody's private conversation. */
export function privately(person: Person): InboundEvent {
  return alone(person, "hello").event;
}

function said(text: string, calls: readonly Call[]): string {
  return calls.length === 0 ? text : `${text} CALLS ${JSON.stringify(calls)}`;
}

function facts({ account, platform, id }: Person) {
  return { account, platform, from: id, name: `${id} ${account}` };
}

function alone(person: Person, text: string, calls: readonly Call[] = []): Deed {
  const conversation = person.id;
  return { event: messageFrom({ ...facts(person), conversation, text: said(text, calls) }), texts: [] };
}

function withFile(person: Person, text: string, content: string, calls: readonly Call[]): Deed {
  const about = { conversation: person.id, text: said(text, calls), attachments: [textFile("mine.txt")] };
  return { event: messageFrom({ ...facts(person), ...about }), texts: [content] };
}

function inGroup(person: Person, text: string, calls: readonly Call[] = []): Deed {
  const place = { conversation: group, kind: "group", mentionsSelf: true } as const;
  return { event: messageFrom({ ...facts(person), ...place, text: said(text, calls) }), texts: [] };
}

function overheard(person: Person, text: string): Deed {
  return { event: messageFrom({ ...facts(person), conversation: group, kind: "group", text }), texts: [] };
}

function fileOf({ own }: Person): string {
  return `${own} in a file of mine`;
}

function idOf(content: string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}
