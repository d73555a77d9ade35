import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Platform } from "@talaria/protocol";
import { hold, type ModelServer, modelFault, startModelServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import type { PlatformStage } from "../support/platforms/platform-stage.ts";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";
import { Answers, openQuestions, question, questionsIn } from "./support/answers.ts";
import { Fleet } from "./support/fleet.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { TableHold } from "./support/table-hold.ts";

/** How long anything may take on a busy machine. */
const patienceMs = 45_000;
const leaseMs = 2_000;

/** `kill -9` at the places where a platform's own way of delivering decides what is lost or doubled. */
describe("kill -9 on every platform", { concurrency: 2 }, () => {
  for (const [name, start] of stages) describeOn(name, start);
});

function describeOn(name: Platform, start: () => Promise<PlatformStage>): void {
  describe(name, { concurrency: 1 }, () => {
    const answers = new Answers();
    let stage: PlatformStage;
    let model: ModelServer;
    let fleet: Fleet;
    let gateway: FleetProcess;
    let worker: FleetProcess;

    before(async () => {
      stage = await start();
      model = await startModelServer({ respond: answers.respond });
      const port = await freePort();
      const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
      const accounts = { main: { ...stage.account, busy: { direct: "queue", groups: "queue" } } };
      await stage.reachedAt(`http://127.0.0.1:${port}`);
      const leases = `leases: { sessionMs: ${leaseMs}, accountMs: ${leaseMs} }`;
      const config = `${leases}\nmodels: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
      fleet = await Fleet.create({ config, port });
      [gateway, worker] = await Promise.all([fleet.start("gateway"), fleet.start("worker")]);
      // Platforms keep nothing for an account that was never there.
      await waitFor(isConnected, "the first connection", patienceMs);
      await isAnswered(await ask());
    });

    after(async () => {
      await fleet?.[Symbol.asyncDispose]();
      await model?.stop();
      await stage?.[Symbol.asyncDispose]();
    });

    async function isConnected(): Promise<boolean> {
      const accounts = await fleet.store.operations.accounts();
      return accounts.some(({ platform, connection }) => platform === name && connection.status === "connected");
    }

    async function ask(asked = question()): Promise<string> {
      await stage.direct.say("ada", asked);
      return asked;
    }

    /** The questions that the agent's messages answer, in their order; each copy counts. */
    function answered(): readonly string[] {
      return questionsIn(stage.direct.answers().map(({ text }) => text));
    }

    async function isAnswered(asked: string): Promise<void> {
      await waitFor(() => answered().includes(asked), `the answer to ${asked}`, patienceMs).catch((error: Error) => {
        throw new Error(`${error.message}\n${JSON.stringify(stage.direct.answers())}\n${fleet.output}`);
      });
    }

    async function isAsked(asked: string): Promise<void> {
      await model.waitForRequest((request) => openQuestions(request).includes(asked), patienceMs);
    }

    /** Copies beyond the first, each of which has to be recorded as possible. */
    async function doublesOf(asked: readonly string[], recordedBefore: number): Promise<number> {
      const { possibleDuplicates, failedDeliveries } = await fleet.quiet(patienceMs);
      const doubles = answered().filter((each) => asked.includes(each)).length - asked.length;
      assert.equal(failedDeliveries, 0);
      assert.ok(doubles <= possibleDuplicates - recordedBefore, `${doubles} doubled, ${possibleDuplicates} recorded`);
      if (stage.neverDoubles) assert.equal(doubles, 0, String(answered()));
      return doubles;
    }

    async function recorded(): Promise<number> {
      return (await fleet.backlog()).possibleDuplicates;
    }

    it("a gateway dies when a message has come and is not committed", async () => {
      const before = await recorded();
      const seen = await TableHold.take(fleet.databaseUrl, "seen");
      const asked = await ask();
      await seen.waitForWriter();
      await gateway.kill();
      await seen.cut();
      await seen.release();
      gateway = await fleet.start("gateway");
      await isAnswered(asked);
      assert.equal(await doublesOf([asked], before), 0);
    });

    it("people write while no gateway runs", async () => {
      const before = await recorded();
      await gateway.kill();
      const asked = [await ask(), await ask(), await ask()];
      gateway = await fleet.start("gateway");
      for (const each of asked) await isAnswered(each);
      assert.equal(await doublesOf(asked, before), 0);
      assert.deepEqual(
        answered().filter((each) => asked.includes(each)),
        asked,
      );
    });

    it("a worker dies in the middle of an answer", async () => {
      const before = await recorded();
      const asked = question();
      answers.plan(asked, () => modelFault.stallAfter("Half an answer"));
      await ask(asked);
      await isAsked(asked);
      if (stage.showsProgress) await waitFor(() => stage.direct.glance().includes("Half"), "the beginning", patienceMs);
      await worker.kill();
      worker = await fleet.start("worker");
      await isAnswered(asked);
      assert.equal(await doublesOf([asked], before), 0);
    });

    it("a gateway dies when an answer is posted and its id is not recorded", async () => {
      const before = await recorded();
      const asked = question();
      stage.loseNextAnswer(asked);
      await ask(asked);
      await isAnswered(asked);
      await gateway.kill();
      gateway = await fleet.start("gateway");
      const later = await ask();
      await isAnswered(later);
      assert.ok((await doublesOf([asked], before)) <= 1);
    });

    it("a gateway dies when the beginning of an answer is posted and its id is not recorded", async (t) => {
      if (!stage.neverDoubles) return t.skip("its previews are no messages, or a second one is a double");
      const before = await recorded();
      const asked = question();
      const written = Promise.withResolvers<void>();
      answers.plan(asked, (rest) => [{ kind: "text", text: "It begins: " }, ...hold(written.promise), ...rest]);
      stage.loseNextAnswer("It begins");
      await ask(asked);
      await waitFor(() => stage.direct.glance().includes("It begins"), "the beginning", patienceMs);
      await gateway.kill();
      gateway = await fleet.start("gateway");
      written.resolve();
      await isAnswered(asked);
      assert.equal(await doublesOf([asked], before), 0);
      assert.equal(stage.direct.glance().split("It begins").length - 1, 1, "begun once");
    });

    it("both die again and again while people write", async () => {
      const before = await recorded();
      const asked: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        asked.push(await ask(), await ask());
        if (round % 2 === 0) await isAsked(asked.at(-1) ?? "");
        if (round % 2 === 0) await gateway.kill();
        else await worker.kill();
        asked.push(await ask());
        if (round % 2 === 0) gateway = await fleet.start("gateway");
        else worker = await fleet.start("worker");
      }
      for (const each of asked) await isAnswered(each);
      assert.ok((await doublesOf(asked, before)) <= 4);
      const firsts = answered().filter((each, n, all) => asked.includes(each) && all.indexOf(each) === n);
      assert.deepEqual(firsts, asked, "in order");
    });
  });
}
