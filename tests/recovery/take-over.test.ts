import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ModelServer,
  type PlatformStage,
  type RedisServer,
  startModelServer,
  startRedisServer,
} from "@talaria/testkit";
import { Client } from "pg";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";
import { Answers, question, questionsIn } from "./support/answers.ts";
import { Fleet } from "./support/fleet.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { Front } from "./support/front.ts";
import { patienceMs } from "./support/journey.ts";
import { withoutRedis } from "./support/needs-redis.ts";

const leaseMs = 2_000;
const preload = new URL("./support/blackout-preload.ts", import.meta.url).href;
interface Parts {
  readonly platforms: readonly PlatformStage[];
  readonly model: ModelServer;
  readonly fleet: Fleet;
  readonly redis: RedisServer | undefined;
  readonly front: Front;
}

/** Where the platform listens, from the addresses in the account's entry. */
function portsOf({ platform, account }: PlatformStage): readonly number[] {
  const found = [...JSON.stringify(account).matchAll(/(?:127\.0\.0\.1|localhost|"port"):(\d+)/g)];
  if (found.length === 0) throw new Error(`where does ${platform} listen?`);
  return found.map(([, port]) => Number(port));
}

/** Where platforms that call us do so, the path names the account `main`. */
function nameOf({ platform }: PlatformStage): string {
  return platform === "whatsapp" ? "main" : platform;
}

/** Two gateways, of which one waits; what the one that is left can reach is taken away when the other is killed. */
class Setting implements AsyncDisposable {
  readonly platforms: readonly PlatformStage[];
  readonly fleet: Fleet;
  readonly redis: RedisServer | undefined;
  readonly #model: ModelServer;
  readonly #front: Front;
  readonly #env: NodeJS.ProcessEnv;
  readonly #blackoutFile: string;
  #holder: FleetProcess | undefined;
  #waiting: FleetProcess | undefined;

  private constructor(parts: Parts) {
    this.platforms = parts.platforms;
    this.fleet = parts.fleet;
    this.redis = parts.redis;
    this.#model = parts.model;
    this.#front = parts.front;
    this.#blackoutFile = join(parts.fleet.home, "blackout.json");
    this.#env = { NODE_OPTIONS: `--import=${preload}`, TALARIA_TEST_BLACKOUT: this.#blackoutFile };
  }

  static async create(chosen = stages, redis?: RedisServer): Promise<Setting> {
    const platforms = await Promise.all(chosen.map(([, start]) => start()));
    const model = await startModelServer({ respond: new Answers().respond });
    const accounts = Object.fromEntries(
      platforms.map((stage) => [nameOf(stage), { ...stage.account, busy: { direct: "queue", groups: "queue" } }]),
    );
    const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
    const leases = `leases: { sessionMs: ${leaseMs}, accountMs: ${leaseMs} }`;
    const config = `${leases}\nmodels: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
    const fleet = await Fleet.create({ config, redisUrl: redis?.url });
    const setting = new Setting({ platforms, model, fleet, redis, front: await Front.open() });
    [setting.#holder] = await Promise.all([setting.#startGateway(), fleet.start("worker")]);
    await setting.areConnected();
    await setting.startSuccessor();
    await Promise.all(platforms.map((stage) => stage.reachedAt(setting.#front.url)));
    await setting.areAnswered(await setting.askEverywhere());
    return setting;
  }

  get databasePort(): number {
    return Number(new URL(this.fleet.databaseUrl).port);
  }

  /** From now on the gateways reach no server on these ports, or on any but those that are lit. */
  async blackout(what: { readonly dark: readonly number[] } | { readonly lit: readonly number[] }): Promise<void> {
    await writeFile(this.#blackoutFile, JSON.stringify(what));
  }

  async light(): Promise<void> {
    await rm(this.#blackoutFile, { force: true });
  }

  /** The gateway that has the accounts dies; the other one is left with them. */
  async killHolder(): Promise<void> {
    await this.#holder?.kill();
    this.#holder = this.#waiting;
    this.#waiting = undefined;
  }

  async startSuccessor(): Promise<void> {
    this.#waiting = await this.#startGateway();
    this.#front.targets = [this.#holder, this.#waiting].flatMap((gateway) => gateway?.url ?? []);
  }

  #startGateway(): Promise<FleetProcess> {
    return this.fleet.start("gateway", this.#env);
  }

  /** Resolves when the gateway that is left has every account, or these, and says that it is connected. */
  async areConnected(chosen = this.platforms): Promise<void> {
    const names = chosen.map(nameOf);
    const look = async () => {
      const pids = new Map((await this.fleet.store.processes.list()).map(({ id, pid }) => [id, pid]));
      const accounts = await this.fleet.store.operations.accounts();
      return accounts.filter(
        ({ accountId, holder, connection }) =>
          names.includes(accountId) &&
          (holder === undefined || pids.get(holder) !== this.#holder?.pid || connection.status !== "connected"),
      );
    };
    await waitFor(async () => (await look()).length === 0, "every account to be connected", patienceMs).catch(
      async (error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(await look())}\n${this.fleet.output}`);
      },
    );
  }

  async askEverywhere(): Promise<readonly string[]> {
    return Promise.all(
      this.platforms.map(async ({ direct }) => {
        const asked = question();
        await direct.say("ada", asked);
        return asked;
      }),
    );
  }

  async areAnswered(asked: readonly string[], chosen = this.platforms): Promise<void> {
    for (const [n, stage] of this.platforms.entries()) {
      if (!chosen.includes(stage)) continue;
      const { platform, direct } = stage;
      const texts = () => direct.answers().map(({ text }) => text);
      const isThere = () => questionsIn(texts()).includes(asked[n] ?? "");
      await waitFor(isThere, `the answer on ${platform}`, patienceMs).catch((error: Error) => {
        throw new Error(`${error.message}\n${texts().join("\n---\n")}\n${this.fleet.output}`);
      });
    }
  }

  /** How many answers stand there again. */
  get doubled(): number {
    const texts = this.platforms.map(({ direct }) => direct.answers().map(({ text }) => text));
    return texts.reduce((sum, shown) => sum + shown.length - new Set(shown).size, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet[Symbol.asyncDispose]();
    await this.#model.stop();
    await Promise.all(this.platforms.map((stage) => stage[Symbol.asyncDispose]()));
    await this.#front[Symbol.asyncDispose]();
    await this.redis?.stop();
  }
}

interface Outage {
  /** How long something is away. */
  readonly seconds: number;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** Resolves when all has happened that must happen while it is away, however long that takes. */
  readonly meanwhile?: (asked: readonly string[]) => Promise<unknown>;
}

/** One row of the matrix: the holder is killed when `begin` has taken something away. */
async function takeOver(t: TestContext, setting: Setting, outage: Outage): Promise<void> {
  const { seconds, begin, end, meanwhile } = outage;
  const before = await setting.askEverywhere();
  await begin();
  const killedAt = performance.now();
  await setting.killHolder();
  const during = await setting.askEverywhere();
  await meanwhile?.(during);
  if (meanwhile) t.diagnostic(`the rest went on ${Math.round(performance.now() - killedAt)} ms after the kill`);
  await sleep(Math.max(0, killedAt + seconds * 1_000 - performance.now()));
  await end();
  const backAt = performance.now();
  await setting.areConnected();
  t.diagnostic(`all connected ${Math.round(performance.now() - backAt)} ms after everything was back`);
  await setting.areAnswered(before);
  await setting.areAnswered(during);
  const { failedDeliveries, possibleDuplicates } = await setting.fleet.quiet();
  assert.equal(failedDeliveries, 0);
  assert.ok(setting.doubled <= possibleDuplicates, `${setting.doubled} doubled, ${possibleDuplicates} recorded`);
  await setting.startSuccessor();
}

describe("a gateway is killed, and the one that takes over can't reach", { concurrency: 3 }, () => {
  describe("with every platform,", { concurrency: 1 }, () => {
    let setting: Setting;
    before(async () => {
      setting = await Setting.create();
    });
    after(async () => {
      await setting?.[Symbol.asyncDispose]();
    });

    for (const seconds of [1, 20])
      it(`any platform for ${seconds} s`, async (t) => {
        const begin = () => setting.blackout({ lit: [setting.databasePort] });
        await takeOver(t, setting, { seconds, begin, end: () => setting.light() });
      });

    for (const dark of [0, 1])
      it(`every second platform, while the others answer (${dark + 1} of 2)`, async (t) => {
        const isDark = (_: unknown, n: number) => n % 2 === dark;
        const ports = setting.platforms.filter(isDark).flatMap(portsOf);
        const begin = () => setting.blackout({ dark: ports });
        const others = setting.platforms.filter((each, n) => !isDark(each, n));
        const meanwhile = async (asked: readonly string[]) => {
          await setting.areConnected(others);
          await setting.areAnswered(asked, others);
        };
        await takeOver(t, setting, { seconds: 1, begin, end: () => setting.light(), meanwhile });
      });
  });

  describe("with every platform and wake-ups on PostgreSQL,", { concurrency: 1 }, () => {
    let setting: Setting;
    before(async () => {
      setting = await Setting.create();
    });
    after(async () => {
      await setting?.[Symbol.asyncDispose]();
    });

    for (const seconds of [1, 20]) {
      it(`the database for ${seconds} s`, async (t) => {
        const begin = () => setting.blackout({ dark: [setting.databasePort] });
        await takeOver(t, setting, { seconds, begin, end: () => setting.light() });
      });

      it(`its listening connection for ${seconds} s`, async (t) => {
        const cutting = new AbortController();
        let cut: Promise<void> = Promise.resolve();
        const begin = async () => {
          cut = cutListeners(setting.fleet.databaseUrl, cutting.signal);
        };
        const end = () => {
          cutting.abort();
          return cut;
        };
        await takeOver(t, setting, { seconds, begin, end, meanwhile: () => setting.areConnected() });
      });
    }
  });

  describe("in a fleet with Redis,", { concurrency: 1, skip: withoutRedis }, () => {
    let setting: Setting;
    let redis: RedisServer;

    before(async () => {
      redis = await startRedisServer();
      setting = await Setting.create(
        stages.filter(([platform]) => platform === "telegram"),
        redis,
      );
    });
    after(async () => {
      await setting?.[Symbol.asyncDispose]();
    });

    for (const seconds of [1, 20]) {
      const away = { begin: () => redis.kill(), end: () => redis.restart() };

      it(`Redis for ${seconds} s`, async (t) => {
        await takeOver(t, setting, { seconds, ...away, meanwhile: () => setting.areConnected() });
      });

      it(`Redis and the database for ${seconds} s`, async (t) => {
        const begin = async () => {
          await setting.blackout({ dark: [setting.databasePort] });
          await away.begin();
        };
        const end = async () => {
          await setting.light();
          await away.end();
        };
        await takeOver(t, setting, { seconds, begin, end });
      });
    }
  });
});

/** Ends the connections that listen and wake, as often as they come back, until the signal is aborted. */
async function cutListeners(url: string, signal: AbortSignal): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    while (!signal.aborted) {
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'talaria queue%'",
      );
      await sleep(100);
    }
  } finally {
    await client.end();
  }
}
