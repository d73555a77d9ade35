import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Platform } from "@talaria/protocol";
import { type ModelServer, type PlatformStage, startModelServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";
import { Answers, openQuestions, question, questionsIn } from "./support/answers.ts";
import { type Death, type DeathName, deaths, parts } from "./support/deaths.ts";
import { Fleet } from "./support/fleet.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { Journey, patienceMs } from "./support/journey.ts";

const leaseMs = 2_000;

/** `kill -9` at every place of a message's way, on every platform, in one direct conversation each. */
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

    async function restart({ killed }: Pick<Death, "killed">): Promise<void> {
      if (killed === "gateway") gateway = await fleet.start("gateway");
      else worker = await fleet.start("worker");
    }

    const texts = () => stage.direct.answers().map(({ text }) => text);

    async function ask(): Promise<string> {
      const asked = question();
      await stage.direct.say("ada", asked);
      return asked;
    }

    async function isAnswered(asked: string): Promise<void> {
      const isThere = () => questionsIn(texts()).includes(asked);
      await waitFor(isThere, `the answer to ${asked}`, patienceMs).catch((error: Error) => {
        throw new Error(`${error.message}\n${texts().join("\n---\n")}\n${fleet.output}`);
      });
    }

    /** In how many messages one of these words stands beyond the first one each. */
    function copiesOf(shown: readonly string[], words: readonly string[]): number {
      const counts = words.map((word) => shown.filter((text) => new RegExp(`\\b${word}\\b`).test(text)).length);
      return counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
    }

    /** It sees no message of before. */
    function newJourney(): Journey {
      const from = texts().length;
      const screen = {
        say: (text: string) => stage.direct.say("ada", text),
        texts: () => texts().slice(from),
        glance: () => stage.direct.glance(),
        lose: (words: string) => stage.loseNextAnswer(words),
        longText: stage.longText ?? 0,
      };
      return new Journey({ fleet, model, answers }, { gateway, worker }, screen);
    }

    for (const [place, death] of Object.entries(deaths) as [DeathName, Death][])
      it(`a ${death.killed} dies when ${death.when}`, async (t) => {
        if (death.previewed === "a message" && stage.progress !== "message")
          return t.skip("its previews are no messages");
        if (death.previewed !== undefined && stage.progress === "none") return t.skip("it shows no previews");
        const isLong = place === "postedInPart";
        if (isLong && stage.longText === undefined) return t.skip("any answer is one message");
        const before = await fleet.backlog();
        const journey = newJourney();
        await death.crash(journey);
        const later = question();
        await journey.writeMore(later);
        await restart(death);
        await isAnswered(later);
        const { possibleDuplicates, failedDeliveries } = await fleet.quiet(patienceMs);
        const shown = journey.screen.texts();
        assert.deepEqual([...new Set(questionsIn(shown))], [journey.asked, later], "both, in order");
        const recorded = possibleDuplicates - before.possibleDuplicates;
        const doubles = copiesOf(shown, [journey.asked, later, ...(isLong ? parts : [])]);
        assert.ok(doubles <= recorded, `${doubles} doubled, ${recorded} recorded\n${shown.join("\n---\n")}`);
        const mostDeaths = place === "postedTwice" ? 2 : 1;
        assert.ok(recorded <= (stage.neverDoubles ? 0 : mostDeaths), `${recorded} recorded`);
        assert.equal(failedDeliveries, before.failedDeliveries);
        if (isLong)
          for (const part of parts)
            assert.equal(
              shown.some((text) => text.includes(part)),
              true,
              part,
            );
        if (death.previewed === "a message") assert.equal(shown.length, 2, "the preview became the answer");
        death.check?.(journey);
      });

    it("people write while no gateway runs", async () => {
      const before = await fleet.backlog();
      await gateway.kill();
      const asked = [await ask(), await ask(), await ask()];
      await restart({ killed: "gateway" });
      for (const each of asked) await isAnswered(each);
      const { possibleDuplicates } = await fleet.quiet(patienceMs);
      assert.equal(possibleDuplicates, before.possibleDuplicates);
      assert.deepEqual(
        questionsIn(texts()).filter((each) => asked.includes(each)),
        asked,
      );
    });

    it("both die again and again while people write", async () => {
      const before = await fleet.backlog();
      const asked: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        const killed = round % 2 === 0 ? "gateway" : "worker";
        asked.push(await ask(), await ask());
        const last = asked.at(-1) ?? "";
        if (killed === "gateway")
          await model.waitForRequest((request) => openQuestions(request).includes(last), patienceMs);
        await (killed === "gateway" ? gateway : worker).kill();
        asked.push(await ask());
        await restart({ killed });
      }
      for (const each of asked) await isAnswered(each);
      const { possibleDuplicates, failedDeliveries } = await fleet.quiet(patienceMs);
      const recorded = possibleDuplicates - before.possibleDuplicates;
      assert.equal(failedDeliveries, before.failedDeliveries);
      const doubles = copiesOf(texts(), asked);
      assert.ok(doubles <= recorded, `${doubles} doubled, ${recorded} recorded\n${texts().join("\n---\n")}`);
      assert.ok(recorded <= (stage.neverDoubles ? 0 : 4), `${recorded} recorded`);
      const firsts = [...new Set(questionsIn(texts()))].filter((each) => asked.includes(each));
      assert.deepEqual(firsts, asked, "in order");
    });
  });
}
