import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hold, type ModelServer, type Place, type PlatformStage, say, startModelServer } from "@talaria/testkit";
import { ModelPlan } from "../support/model-plan.ts";
import { type Failing, OutageProxy } from "../support/outage-proxy.ts";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";
import { Fleet } from "./support/fleet.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";

const leaseMs = 2_000;
const mark = "(Sent again: it may have arrived before.)";
const conversations = 10;
const ways: readonly Failing[] = ["refused connections", "silence", "connections that close after it happened"];

/** A platform with something before it that fails, and ten people who write there. */
interface Side {
  readonly stage: PlatformStage;
  readonly outage: OutageProxy;
  readonly places: readonly Place[];
}

/** What somebody is to read. Of the early ones the text is whole when the outage begins. */
interface Expected {
  readonly side: Side;
  readonly place: Place;
  readonly answer: string;
  readonly isEarly: boolean;
}

describe("kill -9 while Telegram and Slack have an outage", () => {
  const closing = new AsyncDisposableStack();
  const plan = new ModelPlan();
  const sides: Side[] = [];
  let model: ModelServer;
  let fleet: Fleet;
  const running = new Map<FleetProcess["kind"], FleetProcess>();

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    closing.defer(() => model.stop());
    const accounts: Record<string, object> = {};
    for (const [platform, start] of stages.filter(([name]) => name === "telegram" || name === "slack")) {
      const stage = closing.use(await start());
      const settings = JSON.stringify(stage.account);
      const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(settings) ?? [];
      const outage = closing.use(await OutageProxy.before(origin));
      accounts[platform] = JSON.parse(settings.replaceAll(origin, outage.origin));
      const others = Array.from({ length: conversations - 1 }, (_, n) => stage.meet(`guest${n}`));
      sides.push({ stage, outage, places: [stage.direct, ...others] });
    }
    const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
    const leases = `leases: { sessionMs: ${leaseMs}, accountMs: ${leaseMs} }`;
    const config = `${leases}\nworkers: { turns: ${2 * conversations} }\nmodels: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
    fleet = closing.use(await Fleet.create({ config }));
    await Promise.all([start("gateway"), start("worker")]);
  });
  after(() => closing.disposeAsync());

  async function start(kind: FleetProcess["kind"]): Promise<void> {
    running.set(kind, await fleet.start(kind));
  }

  async function areConnected(): Promise<boolean> {
    const accounts = await fleet.store.operations.accounts();
    const connected = accounts.filter(({ connection }) => connection.status === "connected");
    return sides.every(({ stage }) => connected.some(({ platform }) => platform === stage.platform));
  }

  for (const way of ways)
    for (const killed of ["gateway", "worker"] as const)
      it(`with ${way}, a ${killed} dies: every answer arrives once, or once more with the mark`, async () => {
        await until("every account to be connected", areConnected);
        const before = await fleet.backlog();
        const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const expected = sides.flatMap((side) =>
          side.places.map((place, n) => {
            const question = `${n} on ${side.stage.platform} with ${way} and a dead ${killed}`;
            const isEarly = n % 2 === 0;
            const script = say(`Answer to ${question}.`);
            plan.answer(question, [...hold((isEarly ? early : late).promise), ...script], script);
            return { side, place, question, answer: `Answer to ${question}.`, isEarly };
          }),
        );
        for (const { place, question } of expected) await place.say("ada", question);
        await until("every turn to run", () => model.openAnswers() === expected.length);

        for (const { outage } of sides) await outage.begin(way);
        early.resolve();
        await until("the early answers to be tried", () => areTried(way, expected));
        await running.get(killed)?.kill();
        late.resolve();
        await start(killed);
        await until("every answer to be written", async () => {
          const { waitingEvents, runningTurns } = await fleet.backlog();
          return waitingEvents + runningTurns === 0;
        });
        for (const { outage } of sides) await outage.end();

        const { failedDeliveries, possibleDuplicates } = await fleet.quiet(patienceMs);
        assert.equal(failedDeliveries, before.failedDeliveries, "none is given up");
        const doubled = expected.reduce((sum, each) => sum + checkCopies(each), 0);
        const recorded = possibleDuplicates - before.possibleDuplicates;
        assert.ok(doubled <= recorded, `${doubled} doubled, ${recorded} recorded`);
      });

  /** Whether the outage has struck: what happened all the same is there, and what did not waits. */
  async function areTried(way: Failing, expected: readonly Expected[]): Promise<boolean> {
    const early = expected.filter(({ isEarly }) => isEarly);
    if ((await fleet.backlog()).pendingDeliveries < early.length) return false;
    if (way === "refused connections") return true;
    if (way === "silence") return sides.every(({ outage }) => outage.failed > 0);
    return sides.every((side) => early.some((each) => each.side === side && copiesOf(each).length > 0));
  }

  async function until(what: string, ask: () => boolean | Promise<boolean>): Promise<void> {
    await waitFor(ask, what, patienceMs).catch(async (error: Error) => {
      const accounts = await fleet.store.operations.accounts();
      const told = accounts.map(({ accountId, connection }) => `${accountId} ${JSON.stringify(connection)}`);
      throw new Error(`${error.message}\n${told.join("\n")}\n${fleet.output}`);
    });
  }
});

/** How many there are beyond the first one. */
function checkCopies(each: Expected): number {
  const copies = copiesOf(each);
  const told = `${copies.length} times ${each.answer}\n${copies.join("\n---\n")}`;
  assert.ok(copies.length === 1 || copies.length === 2, told);
  assert.ok(
    copies.slice(1).every((text) => text.includes(mark)),
    told,
  );
  return copies.length - 1;
}

function copiesOf({ place, answer }: Pick<Expected, "place" | "answer">): readonly string[] {
  const texts = place.answers().map(({ text }) => text.replaceAll(/\s+/g, " "));
  return texts.filter((text) => text.includes(answer));
}
