import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { modelFault } from "@talaria/testkit";
import pg from "pg";
import { question } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { configOf, createFleetWorld, type FleetWorld } from "./support/world.ts";

const leaseMs = 2_000;
const mostMessages = 60;
const isForNotes = ({ model }: { readonly model: string }) => model === "notes-model";

describe("a worker that is killed while it shortens a conversation", () => {
  let world: FleetWorld;
  let config: string;
  let worker: FleetProcess;

  before(async () => {
    world = await createFleetWorld({ leaseMs });
    const { telegram, model, fleet } = world;
    const served = `provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: test`;
    const models = `models: { main: { ${served}, model: test-model, contextTokens: 40000 }, notes: { ${served}, model: notes-model } }`;
    const text = configOf(telegram, model, { leaseMs }).replace(
      /^models: .*$/m,
      `${models}\nagent: { notesModel: notes }`,
    );
    config = await fleet.addConfig("small.yaml", text);
    [, worker] = await Promise.all([fleet.start("gateway"), start()]);
  });
  after(() => world?.[Symbol.asyncDispose]());

  async function start(): Promise<FleetProcess> {
    return await world.fleet.start("worker", { TALARIA_CONFIG: config });
  }

  async function checkpoints(): Promise<number> {
    const client = new pg.Client({ connectionString: world.fleet.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query("select from talaria.entry where kind = 'checkpoint'");
      return rows.length;
    } finally {
      await client.end();
    }
  }

  it("leaves one checkpoint, one answer, and words that are still known", async () => {
    const { answers, model, fleet } = world;
    const talk = new Talk(world);
    const first = talk.ask();
    await talk.isAnswered();
    // Of all that is asked later, only the notes are about the first question.
    answers.plan(first.asked, modelFault.silent);
    const noted = model.waitForRequest(isForNotes, 4 * patienceMs);
    let asked = first.asked;
    for (let n = 0; n < mostMessages && !model.requests.some(isForNotes); n += 1) {
      asked = question();
      talk.asked.push(asked);
      talk.chat.say(talk.chat.person, `${asked} ${"and so on, ".repeat(330)}`);
      await Promise.race([talk.isAnswered(), noted]);
    }
    await noted;
    assert.equal(await checkpoints(), 0);
    await worker.kill();
    worker = await start();
    await talk.isAnswered();
    await fleet.quiet(patienceMs);
    assert.equal(await checkpoints(), 1);
    const texts = talk.chat.botMessages().map(({ text }) => text);
    assert.equal(texts.filter((text) => new RegExp(`\\b${asked}\\b`).test(text)).length, 1, talk.chat.describe());
    const [last] = model.requests.filter((request) => !isForNotes(request)).slice(-1);
    assert.match(JSON.stringify(last?.messages), new RegExp(`<checkpoint[\\s\\S]*${asked}\\b`));
    assert.equal(model.requests.filter(isForNotes).length, 2);
  });
});
