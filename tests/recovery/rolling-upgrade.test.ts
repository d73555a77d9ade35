import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../support/free-port.ts";
import { grantNextTable, presentVersion, writeNextRelease } from "../support/next-release.ts";
import { RepositoryCopy } from "../support/repository-copy.ts";
import { runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { configOf, createFleetWorld, type FleetWorld } from "./support/world.ts";

const leaseMs = 6_000;
const chatsPerBot = 16;
/** Between two messages of each person. Delivery takes more than a second for each message to one chat. */
const pauseMs = 1_500;
const mainFile = "apps/cli/src/main.ts";

/** One bot for a gateway of each release, so that both releases record and deliver at the same time. */
describe("a rolling upgrade of a fleet", () => {
  let next: RepositoryCopy;
  let world: FleetWorld;

  before(async () => {
    next = await RepositoryCopy.make();
    await writeNextRelease(next.path("packages/store/src"), 2);
    await grantNextTable(next.path("packages/store/src"));
    world = await createFleetWorld({ leaseMs, telegram: { tokens: ["700000001:first", "700000002:second"] } });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await next?.[Symbol.asyncDispose]();
  });

  it("loses, doubles and reorders nothing while gateways and workers of both releases serve the same people", async () => {
    const { fleet, telegram, model } = world;
    const configs = await Promise.all(
      telegram.bots.map((bot, n) => fleet.addConfig(`bot-${n}.yaml`, configOf(telegram, model, { leaseMs }, [bot]))),
    );
    const gateway = (bot: number, release?: RepositoryCopy) =>
      fleet.start("gateway", { TALARIA_CONFIG: configs[bot] ?? "" }, release?.folder);
    const worker = (release?: RepositoryCopy) => fleet.start("worker", {}, release?.folder);
    const old = {
      gateways: await Promise.all([gateway(0), gateway(1)]),
      workers: await Promise.all([worker(), worker()]),
    };
    const talks = telegram.bots.flatMap((bot) => Array.from({ length: chatsPerBot }, () => new Talk(world, bot)));
    using people = new People(talks);
    await people.areAnswered();

    const migrated = await next.node([mainFile, "migrate"], fleet.env);
    assert.equal(migrated.code, 0, migrated.output);
    const newWorkers = [await worker(next)];
    const newGateways = [await replace(old.gateways[0], () => gateway(0, next))];
    await people.areAnswered();
    await bothReleasesWork(fleet.databaseUrl);

    await fleet.talaria("migrate");
    assert.ok(await workersMayWrite(fleet.databaseUrl, "next_note"), "an old migrate takes no rights away");
    const restarted = await Promise.all([
      replace(old.gateways[1], () => gateway(1)),
      replace(old.workers[0], () => worker()),
    ]);
    await people.areAnswered();
    await bothReleasesWork(fleet.databaseUrl);

    newGateways.push(await replace(restarted[0], () => gateway(1, next)));
    newWorkers.push(await replace(restarted[1], () => worker(next)));
    await old.workers[1]?.stop();
    await people.areAnswered();
    await people.leave();
    const { possibleDuplicates, failedDeliveries } = await fleet.quiet();
    for (const talk of talks) talk.assertEachOnce();
    assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
    for (const process of [...newGateways, ...newWorkers]) assert.ok(!process.hasEnded, fleet.output);
  });
});

describe("a release that can't read what a newer one wrote", () => {
  let next: RepositoryCopy;
  let home: string;
  let env: Readonly<Record<string, string>>;
  const refusal = new RegExp(
    `^talaria: The database is at version ${presentVersion + 1}, but this release knows versions up to ${presentVersion}: start the newer release`,
    "m",
  );

  before(async () => {
    next = await RepositoryCopy.make();
    await writeNextRelease(next.path("packages/store/src"), presentVersion + 1);
    home = await mkdtemp(join(tmpdir(), "talaria-upgrade-"));
    env = { TALARIA_HOME: home, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(home, "cache", "node") };
    await writeFile(join(home, "config.yaml"), `gateway: { port: ${await freePort()} }\n`);
  });
  after(async () => {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
    await next[Symbol.asyncDispose]();
  });

  it("says so before it touches the database, whatever is started, and leaves no server running", async () => {
    await using newer = new Supervisor(next, env);
    await newer.isReady();
    const serverFile = join(home, "postgres", "cluster", "postmaster.pid");
    assert.ok(existsSync(serverFile));
    const url = (await readFile(join(home, "database.url"), "utf8")).trim();
    const before = await describeDatabase(url);
    const roles = await describeRoles(url);
    for (const command of ["migrate", "gateway", "worker"]) {
      const { code, stderr } = await runTalaria([command], { ...env, DATABASE_URL: url });
      assert.equal(code, 1, `${command}: ${stderr}`);
      assert.match(stderr, refusal, command);
    }
    assert.deepEqual(await describeRoles(url), roles);
    await newer.stop();

    const { code, stderr } = await runTalaria(["start"], env);
    assert.equal(code, 1, stderr);
    assert.match(stderr, refusal);
    assert.ok(!existsSync(serverFile), "the database server still runs");

    await using again = new Supervisor(next, env);
    await again.isReady();
    const urlNow = (await readFile(join(home, "database.url"), "utf8")).trim();
    assert.deepEqual(await describeDatabase(urlNow), before);
  });
});

/** Everybody writes every now and then, until they leave. */
class People implements Disposable {
  readonly #talks: readonly Talk[];
  readonly #writing: Promise<void>;
  #isLeaving = false;

  constructor(talks: readonly Talk[]) {
    this.#talks = talks;
    this.#writing = this.#write();
  }

  /** Resolves when what everybody wrote after this call is answered. */
  async areAnswered(): Promise<void> {
    const written = this.#talks.map(({ asked }) => asked.length);
    for (const [n, talk] of this.#talks.entries()) {
      const index = written[n] ?? 0;
      await waitFor(() => talk.asked.length > index, "the next question", patienceMs);
      await talk.isAnswered(index);
    }
  }

  /** Nobody writes any more. */
  [Symbol.dispose](): void {
    this.#isLeaving = true;
  }

  /** Resolves when everything is answered. */
  async leave(): Promise<void> {
    this[Symbol.dispose]();
    await this.#writing;
    for (const talk of this.#talks) await talk.isAnswered();
  }

  async #write(): Promise<void> {
    while (!this.#isLeaving) {
      for (const talk of this.#talks) {
        if (this.#isLeaving) return;
        talk.ask();
        await sleep(pauseMs / this.#talks.length);
      }
    }
  }
}

/** Stops a process while its successor starts. Resolves to the successor when it serves. */
async function replace(former: FleetProcess | undefined, start: () => Promise<FleetProcess>): Promise<FleetProcess> {
  const [successor] = await Promise.all([start(), former?.stop()]);
  return successor;
}

/** Resolves when, from now on, gateways of both releases have recorded events and workers of both have begun turns. */
async function bothReleasesWork(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: begun } = await client.query("select clock_timestamp() as now");
    await waitFor(
      async () => {
        const { rows } = await client.query(
          `select (select count(distinct coalesce(recorded_by, 'old'))::integer from talaria.inbox
                    where recorded_at >= $1) as recording,
                  (select count(distinct begun_by)::integer from talaria.turn where started_at >= $1) as working`,
          [begun[0].now],
        );
        return rows[0].recording === 2 && rows[0].working === 2;
      },
      "gateways and workers of both releases",
      patienceMs,
    );
  } finally {
    await client.end();
  }
}

async function workersMayWrite(url: string, table: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select has_table_privilege($1, $2, 'insert') as may", [
      `${new URL(url).pathname.slice(1)}_worker`,
      `talaria.${table}`,
    ]);
    return rows[0].may;
  } finally {
    await client.end();
  }
}

/** Every role, with what tells whether it was altered. The newer release alters them whenever it starts. */
function describeRoles(url: string): Promise<unknown> {
  return readOne(
    url,
    "select json_agg((xmin::text, rolname) order by rolname) from pg_authid where rolname like 'talaria%'",
  );
}

/** Every table, function and migration, with what tells whether it was made again. */
function describeDatabase(url: string): Promise<unknown> {
  return readOne(
    url,
    `select (select json_agg((oid, nspname) order by oid) from pg_namespace where nspname like 'talaria%') as schemas,
              (select json_agg((oid, relname) order by oid) from pg_class
                where relnamespace::regnamespace::text like 'talaria%') as tables,
              (select json_agg((oid, proname) order by oid) from pg_proc
                where pronamespace::regnamespace::text like 'talaria%') as functions,
              (select json_agg((xmin::text, migration) order by version) from talaria.migration) as migrations,
              (select json_agg((name, installed_at) order by name) from talaria.function_set) as sets`,
  );
}

async function readOne(url: string, query: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(query)).rows[0];
  } finally {
    await client.end();
  }
}

/** `talaria start` of another release. */
class Supervisor implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = "";

  constructor(release: RepositoryCopy, env: Readonly<Record<string, string>>) {
    const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
    this.#child = spawn(process.execPath, [release.path(mainFile), "start"], {
      env: { ...inherited, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
  }

  async isReady(): Promise<void> {
    const isReady = () => this.#output.includes("Talaria is ready");
    await waitFor(() => isReady() || this.#hasEnded, "the newer release to serve");
    assert.ok(!this.#hasEnded, this.#output);
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
