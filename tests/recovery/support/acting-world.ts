import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import type { TranscriptEntry } from "@talaria/agent";
import type { ProcessId, SessionKey } from "@talaria/protocol";
import { startModelServer, textOf } from "@talaria/testkit";
import { Pool } from "pg";
import { type Query, startedIn } from "../../../apps/worker/src/testing/conversation-play.ts";
import { changesSomething, type Move, type Plan, plannedCall } from "../../../apps/worker/src/testing/plan.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ActingTalk } from "./acting-talk.ts";
import { rules, writeTools } from "./acting-tools.ts";
import { Fleet } from "./fleet.ts";
import type { FleetProcess } from "./fleet-process.ts";
import { anything, TableHold } from "./table-hold.ts";

type Mode = Extract<Move, { readonly kind: "say" }>["mode"];

/** Each account has a mode of its own. */
export const modes: readonly Mode[] = ["steer", "queue", "interrupt"];

/** How a worker dies: when it makes this write, counted from 0, and before or after the write is committed. */
export interface ActingDeath {
  readonly table: "entry" | "turn";
  readonly passing: number;
  readonly when: "before" | "after";
}

const owners = { first: 5_001, count: 100 };
const leaseMs = 6_000;

/** A gateway, one worker at a time, Telegram and a model that plays plans. */
export class ActingWorld implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly query: Query;
  readonly #telegram: TelegramServer;
  readonly #workspaces: string;
  readonly #closing: AsyncDisposableStack;
  readonly #talks: ActingTalk[];
  #worker: FleetProcess | undefined;
  #workers = 0;

  private constructor(
    parts: { fleet: Fleet; query: Query; telegram: TelegramServer; workspaces: string; talks: ActingTalk[] },
    closing: AsyncDisposableStack,
  ) {
    this.fleet = parts.fleet;
    this.query = parts.query;
    this.#telegram = parts.telegram;
    this.#workspaces = parts.workspaces;
    this.#talks = parts.talks;
    this.#closing = closing;
  }

  static async start(redisUrl: string | undefined): Promise<ActingWorld> {
    await using closing = new AsyncDisposableStack();
    const talks: ActingTalk[] = [];
    const bots = modes.map((mode, index) => ({ token: `70000000${index}:${mode}` }));
    const telegram = closing.adopt(await startTelegramServer({ bots }), (server) => server.stop());
    const model = closing.adopt(
      await startModelServer({
        respond: async (request) => {
          const text = request.messages.map(textOf).join("\n");
          const talk = talks.find(({ opening }) => text.includes(opening));
          if (talk === undefined) throw new Error(`nobody has begun: ${text}`);
          return talk.answer(request);
        },
        keepRequests: 0,
      }),
      (server) => server.stop(),
    );
    const workspaces = closing.adopt(await mkdtemp(join(tmpdir(), "talaria-acting-")), (folder) =>
      rm(folder, { recursive: true, force: true, maxRetries: 3 }),
    );
    const fleet = closing.use(await Fleet.create({ config: configOf(telegram, model.baseUrl, workspaces), redisUrl }));
    await writeTools(fleet.home);
    const pool = closing.adopt(new Pool({ connectionString: fleet.databaseUrl, max: 4 }), (each) => each.end());
    pool.on("error", () => undefined);
    const query: Query = async <Row>(text: string, values: readonly unknown[]) =>
      (await pool.query(text, [...values])).rows as readonly Row[];
    const world = new ActingWorld({ fleet, query, telegram, workspaces, talks }, closing.move());
    await Promise.all([fleet.start("gateway"), world.startWorker()]);
    return world;
  }

  /** A new conversation for each plan, in the account of its mode. */
  begin(plans: readonly (readonly [Mode, Plan])[]): readonly ActingTalk[] {
    return plans.map(([mode, plan]) => {
      const index = modes.indexOf(mode);
      const bot = this.#telegram.bots[index];
      if (bot === undefined) throw new Error(`there is no bot for ${mode}`);
      const person = this.#telegram.user({ first_name: "Ada", id: owners.first + this.#talks.length });
      const stage = { query: this.query, workspaces: this.#workspaces };
      const talk = new ActingTalk(stage, { id: `bot-${index}`, bot }, this.#telegram.privateChat(person, bot), plan);
      this.#talks.push(talk);
      return talk;
    });
  }

  async startWorker(): Promise<void> {
    this.#workers += 1;
    this.#worker = await this.fleet.start("worker", {
      DATABASE_URL: `${this.fleet.databaseUrl}?application_name=${this.#name}`,
    });
  }

  /** Plays all of them at the same time, while workers die one after the other. Returns how many have. */
  async play(talks: readonly ActingTalk[], deaths: readonly ActingDeath[] = []): Promise<number> {
    let isOver = false;
    const playing = Promise.all(talks.map((talk) => talk.play())).finally(() => {
      isOver = true;
    });
    const looking = waitFor(async () => {
      for (const talk of talks) await talk.lookAtCalls();
      return isOver;
    }, "the end of all conversations");
    const dying = this.#die(deaths, () => isOver);
    await Promise.all([playing, looking, dying]);
    return await dying;
  }

  async #die(deaths: readonly ActingDeath[], isOver: () => boolean): Promise<number> {
    for (const [died, death] of deaths.entries()) {
      const { table, passing, when } = death;
      const hold = await TableHold.take(this.fleet.databaseUrl, table, passing);
      const isMet = await hold.waitForWriter(anything, isOver);
      if (isMet) {
        await this.#worker?.kill();
        if (when === "before") await hold.cut();
      }
      await hold.release();
      if (!isMet) return died;
      await this.#bury();
      await this.startWorker();
    }
    return deaths.length;
  }

  /** What the dead worker had sent to the database is over. What it had begun may have happened or not. */
  async #bury(): Promise<void> {
    await waitFor(async () => {
      const rows = await this.query("select from pg_stat_activity where application_name = $1", [this.#name]);
      return rows.length === 0;
    }, "the last statements of the dead worker");
    const workers = await this.query<{ id: ProcessId }>(
      "select id from talaria.process where kind = 'worker' and pid = $1",
      [this.#worker?.pid],
    );
    for (const { id } of workers) {
      const rows = await this.query<{ session_key: SessionKey; body: TranscriptEntry }>(
        `select entry.session_key, body from talaria.entry join talaria.session on open_turn = turn_id
          where owner = $1 order by entry.id`,
        [id],
      );
      for (const [key, entries] of Map.groupBy(rows, ({ session_key }) => session_key)) {
        const talk = this.#talks.find((one) => one.isBegun && one.key === key);
        for (const name of startedIn(entries.map(({ body }) => body)))
          if (talk !== undefined && changesSomething(plannedCall(talk.plan, name).kind)) talk.isUnknown(name);
      }
      await this.fleet.store.processes.retire(id);
    }
    // A session is given up at the third death within ten minutes.
    await this.query("update talaria.session set failed_at = '{}'", []);
  }

  get #name(): string {
    return `worker-${this.#workers}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing.disposeAsync();
  }
}

function configOf(telegram: TelegramServer, baseUrl: string, workspaces: string): string {
  const ids = Array.from({ length: owners.count }, (_, n) => `"telegram:user:${owners.first + n}"`);
  const accounts = telegram.bots.map(
    ({ token }, index) => `
  bot-${index}:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open }
    busy: { direct: ${modes[index]} }`,
  );
  return `
workers: { processes: 1, turns: 16 }
leases: { sessionMs: ${leaseMs}, accountMs: ${leaseMs} }
models: { main: { provider: openai-chat, baseUrl: "${baseUrl}", apiKey: test, model: test-model } }
agent: { toolTokens: 1000000 }
sandbox: { backend: local, unsafe: true, folder: "${workspaces}" }
owners: [${ids.join(", ")}]
${rules}
accounts:${accounts.join("")}
`;
}
