import type { QueueSystem } from "@talaria/queue";
import {
  modelTroublesOf,
  type PlannedAbsence,
  type ProblemFacts,
  plannedLine,
  type Store,
  workplacesOf,
} from "@talaria/store";
import { english } from "@talaria/words";
import type { FastifyInstance } from "fastify";
import { type ProblemView, problemViews } from "../current-problems.ts";
import { type AccessRules, checkProbe, checkToken } from "./access.ts";
import { withoutLink } from "./connections.ts";

const patienceMs = 2_000;

export interface HealthDeps {
  readonly store: Pick<Store, "ping"> & {
    readonly processes: Pick<Store["processes"], "list">;
    readonly operations: Pick<Store["operations"], "accounts">;
  };
  readonly facts: () => Promise<ProblemFacts>;
  /** Whether gateway and workers are away on purpose. */
  readonly planned?: () => Promise<PlannedAbsence | undefined>;
  readonly queue: Pick<QueueSystem, "ping">;
  readonly rules: AccessRules;
  /** Prometheus text of this process and of the workers. */
  readonly metricsText: () => Promise<string>;
  /** How long a part may take to answer. Default 2 s. */
  readonly probeMs?: number;
}

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

type Check<T> = (signal: AbortSignal) => Promise<T>;

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve. `/metrics`: metrics. None of them needs a token; `/readyz` lists
 * accounts, what workers say of their commands and of models that fail, and what an operator has to mend, only for requests with the token.
 */
export function serveHealth(server: FastifyInstance, deps: HealthDeps): void {
  server.get("/healthz", async () => ({ status: "ok" }));
  server.get("/readyz", async ({ headers }, reply) => {
    const refusal = checkProbe(headers, deps.rules);
    if (refusal !== undefined) return reply.code(refusal.status).send({ error: refusal.error });
    const isOperator = checkToken(headers, deps.rules) === undefined;
    const [accounts, told, ...parts] = await Promise.all([
      isOperator ? listAccounts(deps) : undefined,
      isOperator ? whatIsToMend(deps) : undefined,
      checkDatabase(deps),
      checkQueue(deps),
      checkWorkers(deps),
    ]);
    const ready = parts.every((part) => part.ok);
    return reply.code(ready ? 200 : 503).send({
      ready,
      failing: parts.filter((part) => !part.ok),
      parts,
      ...(accounts === undefined ? {} : { accounts }),
      ...told,
    });
  });
  server.get("/metrics", async ({ headers }, reply) => {
    const refusal = checkProbe(headers, deps.rules);
    if (refusal !== undefined) return reply.code(refusal.status).send({ error: refusal.error });
    return reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await deps.metricsText());
  });
}

async function checkDatabase({ store, probeMs }: HealthDeps): Promise<Finding> {
  return probe("database", probeMs, (signal) => store.ping(signal));
}

async function checkQueue({ queue, probeMs }: HealthDeps): Promise<Finding> {
  return probe("queue", probeMs, (signal) => queue.ping(signal));
}

/** Whoever sends requests here has to go elsewhere, also while workers are away on purpose: then it says so. */
async function checkWorkers({ store, planned, probeMs }: HealthDeps): Promise<Finding> {
  return probe("worker", probeMs, async () => {
    const processes = await store.processes.list();
    if (processes.some((process) => process.kind === "worker")) return;
    const absence = await planned?.();
    throw new Error(absence === undefined ? "no worker is running" : plannedLine(absence, english.problemPhrases));
  });
}

async function probe(name: string, ms: number | undefined, check: Check<void>): Promise<Finding> {
  try {
    await inTime(check, ms);
    return { name, ok: true };
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : "unknown" };
  }
}

async function listAccounts({ store, probeMs }: HealthDeps): Promise<readonly unknown[]> {
  try {
    const rows = await inTime(() => store.operations.accounts(), probeMs);
    return rows.map(({ accountId, platform, connection, held }) => ({
      accountId,
      platform,
      connection: withoutLink(connection),
      ...(held === undefined ? {} : { held }),
    }));
  } catch {
    return [];
  }
}

interface Told {
  readonly problems: readonly ProblemView[];
  readonly workplaces: readonly string[];
  readonly models: readonly string[];
}

/**
 * With a model, an account or commands another gateway would fare no better, and one that is taken out of service could not even take
 * messages: they are told, and readiness does not count them.
 */
async function whatIsToMend({ facts, probeMs }: HealthDeps): Promise<Told> {
  try {
    const known = await inTime(facts, probeMs);
    const { living } = known;
    return {
      problems: problemViews(known),
      workplaces: workplacesOf(living).map(({ line }) => line),
      models: modelTroublesOf(living, english.problemPhrases).map(({ line }) => line),
    };
  } catch {
    return { problems: [], workplaces: [], models: [] };
  }
}

/** A check that hangs must not delay the response. */
async function inTime<T>(work: Check<T>, ms = patienceMs): Promise<T> {
  const patience = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer within ${ms} ms`));
    patience.abort();
  }, ms);
  try {
    return await Promise.race([work(patience.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
