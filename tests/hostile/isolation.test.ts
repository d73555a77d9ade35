import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { callTools, type ModelRequest, type ModelScript, say, textOf } from "@talaria/testkit";
import { readProblemFacts } from "../../apps/gateway/src/current-problems.ts";
import { metricsText } from "../../apps/gateway/src/metrics-text.ts";
import { folderName } from "../../packages/sandbox/src/host-folder.ts";
import { House } from "../support/house.ts";
import { Collector } from "./collector.ts";
import { accounts, canariesIn, type Deed, deedOf, group, isOwner, type Person, people, privately } from "./people.ts";
import { hasSandbox } from "./posture.ts";

const turns = 2_000;
const mostRounds = 60;
const atOnce = 16;

interface Place {
  readonly account: string;
  readonly conversation: string;
}

it("64 people who talk to the agent at once, 2,000 turns with tools: no secret reaches another person, session, log or metric", async (test) => {
  await using collector = await Collector.start();
  const parrot = new Parrot();
  await using house = await House.start({
    accounts,
    respond: parrot.respond,
    fetch: collector.fetch,
    workers: 3,
    sandbox: hasSandbox ? "backend: sandbox" : "backend: off",
    config: "",
  });
  const pages = new Map(people.map((person) => [person, collector.show(`/${person.own.slice(10)}`, person.own)]));
  const surroundings = {
    pageOf: (person: Person) => pages.get(person) ?? "",
    folderOf: (person: Person) => join(house.folder, folderName(house.keyOf(privately(person))), "files"),
  };

  const written: Written[] = [];
  let round = 0;
  for (; round < mostRounds && (await turnsOf(house)) < turns; round += 1) {
    const deeds = shuffled(people, round).map((person) => deedOf(person, round, surroundings));
    for (let at = 0; at < deeds.length; at += atOnce) {
      // Some come while others are being answered.
      await Promise.all([receive(house, deeds.slice(at, at + atOnce)), house.queue.work(2)]);
    }
    await house.queue.work(2);
    written.push(...(await house.written()));
  }
  assert.ok((await turnsOf(house)) >= turns);

  for (const { place, canaries } of parrot.prompts) assertOnly(canaries, place, "a prompt");
  for (const { conversation, markdown, attachments } of written) {
    const place = { account: conversation.accountId, conversation: conversation.conversationId };
    // Whoever is asked to decide about a call has to see all of it.
    const isToDecide = isOwner(place) && markdown.includes("Waiting for an owner in other conversations:");
    if (!isToDecide) assertOnly(canariesIn(markdown), place, "a text");
    for (const { ref, byteLength = 0 } of attachments) {
      const bytes = await house.store.media.read(ref, { offset: 0, length: byteLength });
      assertOnly(canariesIn(Buffer.from(bytes).toString()), place, "a file");
    }
  }
  const routes = new Map(
    house.queue.frames.flatMap((one) => (one.type === "started" ? [[one.turnId, one.conversation]] : [])),
  );
  for (const frame of house.queue.frames) {
    const { accountId: account = "", conversationId: conversation = "" } = routes.get(frame.turnId) ?? {};
    assertOnly(canariesIn(JSON.stringify(frame)), { account, conversation }, "a frame");
  }
  for (const person of hasSandbox ? people : []) {
    const texts = await textsIn(surroundings.folderOf(person));
    const failed = house.lines.filter((line) => /"level":"?(error|warn|40|50)/.test(line)).slice(0, 5);
    assert.ok(canariesIn(texts).has(person.own), `tools have kept the secret of ${person.own}: ${failed.join("")}`);
    assertOnly(canariesIn(texts), { account: person.account, conversation: person.id }, "a workspace");
  }
  const facts = () => readProblemFacts(house.store, ["main"], systemClock);
  const probes = { database: async () => undefined, queue: async () => undefined };
  assert.doesNotMatch(await metricsText(house.metrics, { ...house.store, facts, probes }, systemClock), /canary/);
  for (const line of house.lines) assert.doesNotMatch(line, /canary/, "the log says nothing that people said");

  const seen = new Set(parrot.prompts.flatMap(({ canaries }) => [...canaries]));
  assert.equal(seen.size, people.length * 2, "every secret has reached the agent");
  const told = new Set(written.flatMap(({ markdown }) => [...canariesIn(markdown)]));
  assert.equal(told.size, people.length * 2, "and it has repeated each");
  test.diagnostic(
    `${await turnsOf(house)} turns, ${parrot.prompts.length} prompts, ${written.length} texts, ${house.lines.length} lines of the log`,
  );
});

type Written = Awaited<ReturnType<House["written"]>>[number];

async function receive(house: House, deeds: readonly Deed[]): Promise<void> {
  await Promise.all(deeds.map(({ event, texts }) => house.receive(event, texts)));
}

/** Does the worst that a model can do: it repeats everything that it was given, after what it was told to do. */
class Parrot {
  readonly prompts: { readonly place: Place; readonly canaries: ReadonlySet<string> }[] = [];

  readonly respond = ({ messages, tools }: ModelRequest): ModelScript => {
    const text = messages.map(textOf).join("\n");
    const canaries = canariesIn(`${text} ${JSON.stringify([messages, tools])}`);
    this.prompts.push({ place: placeIn(text), canaries });
    const last = messages.at(-1);
    const [, calls] = last?.role === "user" ? (/^[\s\S]*CALLS (\[\[.*\]\])/.exec(textOf(last)) ?? []) : [];
    return [
      ...say([...canaries].join(" ") || "nothing"),
      ...(calls === undefined ? [] : callTools(...JSON.parse(calls))),
    ];
  };
}

/** Whose conversation a prompt says that it is: a system prompt names the person, and messages of a group their senders. */
function placeIn(text: string): Place {
  const [, direct, account] = /<person name="(person-\d+) ([\w-]+)"/.exec(text) ?? [];
  if (direct !== undefined && account !== undefined) return { account, conversation: direct };
  const [, shared = ""] = /sender="person-\d+ ([\w-]+)"/.exec(text) ?? [];
  return { account: shared, conversation: group };
}

function assertOnly(canaries: ReadonlySet<string>, { account, conversation }: Place, what: string): void {
  for (const canary of canaries) {
    const of = people.find(({ own, shared }) => own === canary || shared === canary);
    const belongs = of?.own === canary ? of.id === conversation : conversation === group;
    assert.ok(of?.account === account && belongs, `${what} in ${conversation} on ${account} has ${canary}`);
  }
}

async function turnsOf(house: House): Promise<number> {
  const text = await house.metrics.text();
  return [...text.matchAll(/^talaria_turns_finished_total\{[^}]*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

async function textsIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}

/** The same order in every run. */
function shuffled<Item>(items: readonly Item[], round: number): readonly Item[] {
  let seed = 42 + round;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
