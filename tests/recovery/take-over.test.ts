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
import { patienceMs } from "./support/journey.ts";
import { withoutRedis } from "./support/needs-redis.ts";

const leaseMs = 2_000;
const preload = new URL("./support/blackout-preload.ts", import.meta.url).href;
/** WhatsApp calls the gateway at one address, so its account is no one's to take over. */
const leased = stages.filter(([platform]) => platform !== "whatsapp");

/** Two gateways, of which one waits; what the one that is left can reach is taken away when the other is killed. */
class Setting implements AsyncDisposable {
  readonly platforms: readonly PlatformStage[];
  readonly fleet: Fleet;
  readonly redis: RedisServer | undefined;
  readonly #model: ModelServer;
  readonly #env: NodeJS.ProcessEnv;
  readonly #blackoutFile: string;
  #holder: FleetProcess | undefined;
  #waiting: FleetProcess | undefined;

  private constructor(platforms: readonly PlatformStage[], model: ModelServer, fleet: Fleet, redis?: RedisServer) {
    this.platforms = platforms;
    this.#model = model;
    this.fleet = fleet;
    this.redis = redis;
    this.#blackoutFile = join(fleet.home, "blackout.json");
    this.#env = { NODE_OPTIONS: `--import=${preload}`, TALARIA_TEST_BLACKOUT: this.#blackoutFile };
  }

  static async create(chosen: typeof leased, redis?: RedisServer): Promise<Setting> {
    const platforms = await Promise.all(chosen.map(([, start]) => start()));
    const model = await startModelServer({ respond: new Answers().respond });
    const accounts = Object.fromEntries(
      platforms.map(({ platform, account }) => [platform, { ...account, busy: { direct: "queue", groups: "queue" } }]),
    );
    const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
    const leases = `leases: { sessionMs: ${leaseMs}, accountMs: ${leaseMs} }`;
    const config = `${leases}\nmodels: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
    const fleet = await Fleet.create({ config, redisUrl: redis?.url });
    const setting = new Setting(platforms, model, fleet, redis);
    [setting.#holder] = await Promise.all([setting.#startGateway(), fleet.start("worker")]);
    await setting.areConnected();
    setting.#waiting = await setting.#startGateway();
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
  }

  #startGateway(): Promise<FleetProcess> {
    return this.fleet.start("gateway", this.#env);
  }

  /** Resolves when the gateway that is left has every account and says that it is connected. */
  async areConnected(): Promise<void> {
    const look = async () => {
      const pids = new Map((await this.fleet.store.processes.list()).map(({ id, pid }) => [id, pid]));
      const accounts = await this.fleet.store.operations.accounts();
      return accounts.filter(
        ({ holder, connection }) =>
          holder === undefined || pids.get(holder) !== this.#holder?.pid || connection.status !== "connected",
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

  async areAnswered(asked: readonly string[]): Promise<void> {
    for (const [n, { platform, direct }] of this.platforms.entries()) {
      const texts = () => direct.answers().map(({ text }) => text);
      const isThere = () => questionsIn(texts()).includes(asked[n] ?? "");
      await waitFor(isThere, `the answer on ${platform}`, patienceMs).catch((error: Error) => {
        throw new Error(`${error.message}\n${texts().join("\n---\n")}\n${this.fleet.output}`);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet[Symbol.asyncDispose]();
    await this.#model.stop();
    await Promise.all(this.platforms.map((stage) => stage[Symbol.asyncDispose]()));
    await this.redis?.stop();
  }
}

/** One row of the matrix: the holder is killed when `begin` has taken something away, which is back after `outageMs`. */
async function takeOver(
  t: TestContext,
  setting: Setting,
  outageMs: number,
  begin: () => Promise<unknown>,
  end: () => Promise<unknown>,
): Promise<void> {
  const before = await setting.askEverywhere();
  await begin();
  await setting.killHolder();
  const during = await setting.askEverywhere();
  await sleep(outageMs);
  await end();
  const backAt = performance.now();
  await setting.areConnected();
  t.diagnostic(`connected ${Math.round(performance.now() - backAt)} ms after everything was back`);
  await setting.areAnswered(before);
  await setting.areAnswered(during);
  const { failedDeliveries } = await setting.fleet.quiet();
  assert.equal(failedDeliveries, 0);
  await setting.startSuccessor();
}

describe("a gateway is killed, and the one that takes over can't reach", { concurrency: 2 }, () => {
  describe("with every platform,", { concurrency: 1 }, () => {
    let setting: Setting;

    before(async () => {
      setting = await Setting.create(leased);
    });
    after(async () => {
      await setting?.[Symbol.asyncDispose]();
    });

    it("the database for 1 s", async (t) => {
      const begin = () => setting.blackout({ dark: [setting.databasePort] });
      await takeOver(t, setting, 1_000, begin, () => setting.light());
    });

    it("its listening connection for 1 s", async (t) => {
      const cutting = new AbortController();
      let cut: Promise<void> = Promise.resolve();
      const begin = async () => {
        cut = cutListeners(setting.fleet.databaseUrl, cutting.signal);
      };
      const end = () => {
        cutting.abort();
        return cut;
      };
      await takeOver(t, setting, 1_000, begin, end);
    });

    for (const seconds of [1, 20])
      it(`any platform for ${seconds} s`, async (t) => {
        const begin = () => setting.blackout({ lit: [setting.databasePort] });
        await takeOver(t, setting, seconds * 1_000, begin, () => setting.light());
      });
  });

  describe("in a fleet with Redis,", { concurrency: 1, skip: withoutRedis }, () => {
    let setting: Setting;
    let redis: RedisServer;

    before(async () => {
      redis = await startRedisServer();
      setting = await Setting.create(
        leased.filter(([platform]) => platform === "telegram"),
        redis,
      );
    });
    after(async () => {
      await setting?.[Symbol.asyncDispose]();
    });

    it("Redis for 1 s", async (t) => {
      await takeOver(
        t,
        setting,
        1_000,
        () => redis.kill(),
        () => redis.restart(),
      );
    });

    it("Redis and the database for 20 s", async (t) => {
      const begin = async () => {
        await setting.blackout({ dark: [setting.databasePort] });
        await redis.kill();
      };
      const end = async () => {
        await setting.light();
        await redis.restart();
      };
      await takeOver(t, setting, 20_000, begin, end);
    });
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
