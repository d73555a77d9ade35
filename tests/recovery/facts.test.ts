import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mostArchivedFacts, mostCharsOfFacts } from "@talaria/protocol";
import { callTools } from "@talaria/testkit";
import { Client } from "pg";
import { waitFor } from "../support/wait-for.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

/** As the server gives them to the first people. */
const ids = [10_001, 10_002, 10_003, 10_004];
const questions = 10;
const callsOfEach = 50;
const writes = ids.length * questions * callsOfEach;

interface Kept {
  readonly id: string;
  readonly text: string;
  readonly is_archived: boolean;
}

describe("two workers that write the same memory, one of which is killed", () => {
  let world: FleetWorld;
  let workers: FleetProcess[];
  let database: Client;

  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000, owners: ids });
    workers = await Promise.all([world.fleet.start("worker"), world.fleet.start("worker")]);
    await world.fleet.start("gateway");
    database = new Client({ connectionString: world.fleet.databaseUrl });
    await database.connect();
  });
  after(async () => {
    await database?.end();
    await world?.[Symbol.asyncDispose]();
  });

  const written = async () => (await database.query("select from talaria.fact_call")).rowCount ?? 0;

  /** What the calls have brought, by their words. */
  async function results(): Promise<readonly string[]> {
    const { rows } = await database.query<{ readonly content: string }>(
      "select body ->> 'content' as content from talaria.entry where body ->> 'kind' = 'tool.result'",
    );
    return rows.map(({ content }) => content);
  }

  it("loses and doubles nothing, and keeps the limits", { timeout: 5 * patienceMs }, async () => {
    const talks = ids.map(() => new Talk(world));
    for (let n = 0; n < questions; n += 1)
      for (const talk of talks) {
        const { asked } = talk.ask();
        const adds = Array.from({ length: callsOfEach }, (_, m) => {
          const input = { action: "add", about: "agent", text: `note ${m} of ${asked} stays` };
          return ["memory", input] as const;
        });
        world.answers.plan(asked, () => callTools(...adds));
      }
    // After a third within ten minutes, people are told that their turn is given up.
    for (let kill = 1; kill <= 2; kill += 1) {
      await waitFor(async () => (await written()) >= (kill * writes) / 5, `${kill} fifths of the writes`, patienceMs);
      const dying = workers.shift();
      const next = world.fleet.start("worker");
      await dying?.kill();
      workers.push(await next);
    }
    await world.fleet.quiet(3 * patienceMs);
    for (const talk of talks) talk.assertEachOnce();

    const told = await results();
    const numbers = told.flatMap((content) => /^Kept as fact (\d+)\./.exec(content)?.[1] ?? []);
    const unknown = told.filter((content) => !content.startsWith("Kept as fact"));
    assert.equal(told.length, writes);
    assert.equal(new Set(numbers).size, numbers.length, "no two calls have kept the same");
    assert.ok(
      unknown.every((content) => content.startsWith("UNKNOWN")),
      unknown[0],
    );

    const { rows: subjects } = await database.query<{ readonly version: string }>(
      "select version from talaria.fact_subject where scope = 'agent'",
    );
    const calls = await written();
    assert.deepEqual(subjects, [{ version: String(calls) }], "each write is counted once");
    assert.ok(numbers.length <= calls && calls <= numbers.length + unknown.length, "and each that was told is there");

    const { rows: kept } = await database.query<Kept>(
      "select id, text, archived_at is not null as is_archived from talaria.fact order by id",
    );
    assert.equal(new Set(kept.map(({ text }) => text)).size, kept.length);
    const now = kept.filter(({ is_archived }) => !is_archived);
    assert.equal(kept.length - now.length, mostArchivedFacts);
    const chars = now.reduce((sum, { text }) => sum + text.length + 1, -1);
    assert.ok(chars <= mostCharsOfFacts.agent && chars > mostCharsOfFacts.agent - 60, `${chars}`);
    const present = new Set(kept.map(({ id }) => id));
    // What goes first is what was confirmed first, so that nothing newer is missing.
    const newest = numbers.toSorted((one, other) => Number(other) - Number(one)).slice(0, mostArchivedFacts / 2);
    assert.deepEqual(
      newest.filter((id) => !present.has(id)),
      [],
    );
  });
});
