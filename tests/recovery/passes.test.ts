import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { modelFault, say } from "@talaria/testkit";
import pg from "pg";
import { waitFor } from "../support/wait-for.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { configOf, createFleetWorld, type FleetWorld } from "./support/world.ts";

const leaseMs = 2_000;
/** As the server gives it to the first person. */
const owners = [10_001];
const isForFacts = ({ model }: { readonly model: string }) => model === "facts-model";

describe("a worker that is killed while it goes through a conversation for facts", () => {
  let world: FleetWorld;
  let database: pg.Client;
  let config: string;
  let worker: FleetProcess;
  let talk: Talk;

  before(async () => {
    world = await createFleetWorld({ leaseMs, owners });
    const { telegram, model, fleet } = world;
    const served = `provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: test`;
    const models = `models: { main: { ${served}, model: test-model }, facts: { ${served}, model: facts-model } }`;
    const text = configOf(telegram, model, { leaseMs, owners }).replace(
      /^models: .*$/m,
      `${models}\nmemory: { pass: { model: facts } }`,
    );
    config = await fleet.addConfig("passes.yaml", text);
    [, worker] = await Promise.all([start("gateway"), start("worker")]);
    database = new pg.Client({ connectionString: fleet.databaseUrl });
    await database.connect();
    talk = new Talk(world);
  });
  after(async () => {
    await database?.end();
    await world?.[Symbol.asyncDispose]();
  });

  const start = (role: "gateway" | "worker") => world.fleet.start(role, { TALARIA_CONFIG: config });
  const asked = () => world.model.requests.filter(isForFacts).length;

  async function rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await database.query(text)).rows;
  }

  /** Three lines, answered. Of all that is asked later, only a pass reads the first of them again. */
  async function lines(): Promise<string> {
    const { asked: first } = talk.ask();
    await talk.isAnswered();
    for (let n = 0; n < 2; n += 1) {
      talk.ask();
      await talk.isAnswered();
    }
    return first;
  }

  const proposes = (text: string) => () =>
    say(JSON.stringify({ changes: [{ action: "add", text, lines: [1], basis: "said" }] }));

  const isDone = () =>
    waitFor(
      async () => (await rows("select from talaria.memory_pass where until is not null")).length === 0,
      "the end of the pass",
      patienceMs,
    );
  const kept = async () => (await rows("select text from talaria.fact order by id")).map(({ text }) => text);

  it("leaves it to another one, who asks again and keeps each fact once", { timeout: 4 * patienceMs }, async () => {
    const first = await lines();
    world.answers.plan(first, modelFault.silent, proposes("likes tea"));
    const request = world.model.waitForRequest(isForFacts, patienceMs);
    talk.chat.say(talk.chat.person, "/new");
    await request;
    await worker.kill();
    assert.deepEqual(await kept(), []);
    worker = await start("worker");
    await waitFor(async () => (await kept()).length > 0, "the fact", patienceMs);
    await isDone();
    assert.deepEqual([await kept(), asked()], [["likes tea"], 2]);
  });

  it("has kept all or nothing when it dies as that is written", { timeout: 4 * patienceMs }, async () => {
    const first = await lines();
    world.answers.plan(first, proposes("lives in Oslo"), proposes("lives in Oslo"));
    const holder = new pg.Client({ connectionString: world.fleet.databaseUrl });
    await holder.connect();
    await holder.query("begin; select from talaria.fact_subject where scope = 'person' for update");
    talk.chat.say(talk.chat.person, "/new");
    const blocked = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%finish_pass%'";
    await waitFor(async () => (await rows(blocked)).length > 0, "a pass that is written", patienceMs);
    await worker.kill();
    await holder.end();
    worker = await start("worker");
    await isDone();
    await world.fleet.quiet(patienceMs);
    assert.deepEqual(await kept(), ["likes tea", "lives in Oslo"]);
    assert.ok(asked() <= 4);
    const used = await rows("select from talaria.usage where purpose = 'memory'");
    assert.equal(used.length, 2, "each answer that counted is paid for once");
    talk.assertEachOnce();
  });
});
