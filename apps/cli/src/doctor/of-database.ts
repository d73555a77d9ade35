import { hostname } from "node:os";
import type { TalariaConfig } from "@talaria/config";
import { isRunning } from "@talaria/postgres/process-info";
import { checkRedis } from "@talaria/queue";
import type { ProcessRow, Store } from "@talaria/store";
import { version } from "../version.ts";
import { type Finding, problemOf } from "./finding.ts";
import { clockFinding } from "./of-clock.ts";

const redisMs = 10_000;

/** The server of the database, its schema, its clock, and the processes that are registered there. */
export async function ofDatabase({
  processes,
  enter,
}: Pick<Store, "processes" | "enter">): Promise<readonly Finding[]> {
  await enter();
  const began = Date.now();
  const server = await processes.server();
  const ended = Date.now();
  const living = await processes.list();
  const size = `${(server.databaseBytes / 1_048_576).toFixed(0)} MiB`;
  return [
    {
      check: "database",
      state: "ok",
      line: `PostgreSQL ${server.version} answers, its tables are of this release; ${size}`,
    },
    clockFinding("the database", Date.parse(server.now), { began, ended, precisionMs: 1 }),
    ...releaseFindings(living),
    ...(await deadRows(living)),
  ];
}

/** Redis with the settings that the queue needs, or none. */
export async function ofQueue({ redis }: Pick<TalariaConfig, "redis">): Promise<readonly Finding[]> {
  if (redis.kind !== "redis") return [{ check: "queue", state: "ok", line: "in PostgreSQL, no Redis is configured" }];
  try {
    await checkRedis(redis.url.reveal(), AbortSignal.timeout(redisMs));
    return [{ check: "queue", state: "ok", line: "Redis answers, and its settings keep what is in it" }];
  } catch (error) {
    return [problemOf("queue", error)];
  }
}

/** What gateways say of their release. Those of a release before this command say nothing. */
function releaseFindings(living: readonly ProcessRow[]): readonly Finding[] {
  const others = living.filter(({ kind, stats }) => kind === "gateway" && stats.release !== version);
  return others.map(({ host, stats }) => {
    const release = typeof stats.release === "string" ? `release ${stats.release.slice(0, 40)}` : "an earlier release";
    const line = `the gateway on ${host} is of ${release}, this is ${version}`;
    return { check: "release", state: "problem", line, remedy: "talaria restart" };
  });
}

/** Rows of processes of this machine that are gone: what they hold is free when their leases end, and at the next start. */
async function deadRows(living: readonly ProcessRow[]): Promise<readonly Finding[]> {
  const here = living.filter(({ host }) => host === hostname());
  const gone = await Promise.all(here.map(async (row) => ((await isRunning(row.pid)) ? [] : [row])));
  return gone.flat().map(({ kind, pid, leaseEndsAt }): Finding => {
    const line = `${kind} ${pid} is gone, and holds its sessions and accounts until ${leaseEndsAt.slice(0, 19)}Z; its supervisor starts another one`;
    return { check: "leftovers", state: "warning", line };
  });
}
