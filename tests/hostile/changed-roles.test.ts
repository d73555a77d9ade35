import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { brandAs, type ProcessId } from "@talaria/protocol";
import { isStillAllowed } from "@talaria/sessions";
import { entriesOf } from "../support/entries-of.ts";
import { House } from "../support/house.ts";
import { waitFor } from "../support/wait-for.ts";
import { type ChangeName, ChangingPolicies, changes } from "./changed-roles.ts";
import { Collector } from "./collector.ts";
import { PlanOfEach } from "./plan-of-each.ts";
import { hasSandbox } from "./posture.ts";
import { answer, from, inGroups, openCallOf, probe, roleRules, type Wait, type Waiting, waits } from "./waits.ts";

/** What the agent could do when it went on: as an owner it runs, as a member it is asked about, as a guest it is refused. */
type Verdict = "ran" | "asked" | "refused" | "nothing";

interface Expected {
  /** What had begun. */
  readonly begun: Verdict;
  /** Words that are read, or read again, after the change. */
  readonly read: Verdict;
  /** An answer that is on its way out goes to them. */
  readonly isSent: boolean;
}

const expected: Readonly<Record<ChangeName, Expected>> = {
  "stays an owner": { begun: "ran", read: "ran", isSent: true },
  "owner to guest": { begun: "nothing", read: "refused", isSent: true },
  "owner to member": { begun: "nothing", read: "asked", isSent: true },
  "owner to stranger": { begun: "nothing", read: "nothing", isSent: false },
  "member to stranger": { begun: "nothing", read: "nothing", isSent: false },
  "pairing revoked": { begun: "nothing", read: "nothing", isSent: false },
  "stays an owner in a group": { begun: "ran", read: "ran", isSent: true },
  "owner to guest in a group": { begun: "nothing", read: "refused", isSent: true },
  "shut out in a group": { begun: "nothing", read: "nothing", isSent: false },
  "guest to stranger": { begun: "nothing", read: "nothing", isSent: false },
  "guest to owner": { begun: "refused", read: "refused", isSent: true },
};

const left = 2;
/** Workers, by number. */
const [victim, survivor] = [0, 1];

describe("roles that change while something waits", () => {
  let verdicts: ReadonlyMap<string, Verdict>;
  let sent: ReadonlySet<string>;
  let closing: AsyncDisposableStack;
  before(async () => {
    closing = new AsyncDisposableStack();
    ({ verdicts, sent } = await play(closing));
  });
  after(() => closing?.disposeAsync());

  for (const [who, { phase, isReadLater = false, needsSandbox = false }] of Object.entries(waits))
    for (const change of Object.keys(changes) as ChangeName[]) {
      // Nothing runs for a guest, nor in a group.
      const isWithout = change.startsWith("guest") || change.endsWith(inGroups);
      it(`${change}: ${who}`, { skip: needsSandbox && (isWithout || !hasSandbox) }, () => {
        const { begun, read } = expected[change];
        const verdict = verdicts.get(wordsOf(who, change));
        // An answer that was on its way then may still be read: what it asks for is denied to whoever was a guest before the turn ends.
        if (phase === "running" && change === "guest to stranger" && verdict === "refused") return;
        assert.equal(verdict, isReadLater ? read : begun);
      });
    }

  for (const change of Object.keys(changes) as ChangeName[])
    it(`${change}: an answer on its way out`, () => assert.equal(sent.has(change), expected[change].isSent));
});

const wordsOf = (who: string, account: string) => `(${who}, ${account})`;

/** Lets everything wait at once, changes all roles at once, and lets everything go on. */
async function play(closing: AsyncDisposableStack) {
  const collector = closing.use(await Collector.start());
  const policies = new ChangingPolicies();
  const plan = new PlanOfEach();
  const house = closing.use(
    await House.start({
      accounts: policies.accounts,
      respond: plan.respond,
      fetch: collector.fetch,
      workers: 2,
      sandbox: hasSandbox ? "backend: sandbox" : "backend: off",
      config: `leases: { sessionMs: 6000 }\n${roleRules}`,
    }),
  );
  const scenes = Object.entries(waits)
    .filter(([, { needsSandbox }]) => needsSandbox !== true || hasSandbox)
    .flatMap(([who, wait]) =>
      Object.keys(changes).map((account) => ({
        wait,
        waiting: { house, plan, account, who, words: wordsOf(who, account) } satisfies Waiting,
      })),
    );
  const begin = async (phase: Wait["phase"]) => {
    for (const { wait, waiting } of scenes) if (wait.phase === phase) await wait.begin(waiting);
  };
  await policies.pair(house);
  house.queue.useOnly(survivor);
  await begin("settled");
  const slow = scenes.filter(({ wait }) => wait.phase === "running");
  for (const { wait, waiting } of slow) if (wait.isKilled) await wait.begin(waiting);
  house.queue.useOnly(victim);
  house.queue.work().catch(() => undefined);
  await waitFor(
    () => slow.every(({ wait, waiting }) => !wait.isKilled || plan.left(waiting.words) === left),
    "answers",
  );
  await house.store.processes.retire(brandAs<ProcessId>(`worker-${victim + 1}`));
  house.queue.useOnly(survivor);
  for (const { wait, waiting } of slow) if (!wait.isKilled) await wait.begin(waiting);
  const running = house.queue.work();
  await waitFor(
    () => slow.every(({ waiting }) => plan.left(waiting.words) === left),
    "turns that wait for their model",
  );
  // However long the rest takes: a model that was overloaded answers after it.
  const answerAgain = plan.hold();
  await begin("unread");
  const ids = await Promise.all(scenes.map(async ({ waiting }) => (await openCallOf(waiting))?.id ?? ""));
  for (const [n, { wait, waiting }] of scenes.entries()) await wait.touch?.(waiting, ids[n] ?? "");
  const keyOf = ({ account, who }: Waiting) => house.keyOf(from(account, who, ""));
  const known = await Promise.all(
    scenes.map(async ({ waiting }) => (await entriesOf(house.databaseUrl, keyOf(waiting))).length),
  );
  await policies.change(house);
  answerAgain();
  house.queue.look(scenes.map(({ waiting }) => keyOf(waiting)));
  const sent = new Set<string>();
  for (const { conversation, markdown, asked } of await house.written()) {
    if (!markdown.endsWith(answer)) continue;
    assert.ok(asked);
    const { accountId } = conversation;
    if (await isStillAllowed(conversation, asked.askers, { policyOf: policies.policyOf, pairing: house.store.pairing }))
      sent.add(accountId);
  }
  for (const [n, { wait, waiting }] of scenes.entries()) await wait.goOn(waiting, ids[n] ?? "");
  await house.queue.work();
  await running;
  const verdictAt = async (n: number) => {
    const scene = scenes[n];
    assert.ok(scene);
    const entries = await entriesOf(house.databaseUrl, keyOf(scene.waiting));
    return verdictIn(entries.slice(known[n]));
  };
  await Promise.all(
    scenes.map(async ({ waiting }, n) => {
      // Whoever keeps their rights shows when the others would have gone on.
      if (waiting.account !== "stays an owner") return;
      await waitFor(async () => {
        await house.queue.work();
        return (await verdictAt(n)) !== "nothing";
      }, waiting.words);
    }),
  );
  const verdicts = await Promise.all(
    scenes.map(async ({ waiting }, n) => [waiting.words, await verdictAt(n)] as const),
  );
  return { verdicts: new Map(verdicts), sent };
}

function verdictIn(entries: readonly TranscriptEntry[]): Verdict {
  const probed = entries.filter((entry) => "name" in entry && entry.name === probe);
  // Its start is written together with the answer that asks for it, and it does not begin.
  if (probed.some((entry) => entry.kind === "tool.result" && entry.content === "Cancelled.")) return "nothing";
  if (probed.some(({ kind }) => kind === "tool.started")) return "ran";
  if (probed.some(({ kind }) => kind === "tool.waiting")) return "asked";
  if (probed.some(({ kind }) => kind === "tool.result")) return "refused";
  return "nothing";
}
