import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { query } from "@talaria/postgres";
import { serverProcesses } from "@talaria/postgres/process-info";
import { z } from "zod";
import type { DoseDeps } from "./dose-deps.ts";
import { freeze, send } from "./freeze.ts";
import { whileAway } from "./while-away.ts";

/** About as long as the database needs to be there again, and some turns to begin. */
const betweenMs = 6_000;
const betweenCutsMs = 2_000;
/** Ours, without the one that asks. */
const ours = "datname = current_database() and application_name like 'talaria%' and pid <> pg_backend_pid()";

export async function freezeDatabase(deps: DoseDeps): Promise<void> {
  await freeze(await serverProcesses(clusterOf(deps)), "the database", deps.awayMs, deps);
}

/** Servers of the connections that workers have stand still: nothing is refused or closed. */
export async function freezeConnections(deps: DoseDeps): Promise<void> {
  const statement = `select pid from pg_stat_activity where ${ours} and usename like '%\\_worker'`;
  const rows = z.array(z.object({ pid: z.int() })).parse(await query(deps.databaseUrl, statement));
  const pids = rows.map(({ pid }) => pid);
  await freeze(pids, `${pids.length} connections of workers`, deps.awayMs, deps);
}

/** PostgreSQL takes SIGQUIT for an immediate shutdown (postgresql.org/docs/current/server-shutdown.html). */
export async function strikeDatabase(blow: "SIGQUIT" | "SIGKILL", what: string, deps: DoseDeps): Promise<void> {
  for (let count = 1; count <= deps.blows; count += 1) {
    send(blow, await serverProcesses(clusterOf(deps)));
    deps.say(`${what} (${count} of ${deps.blows})`);
    await sleep(betweenMs, undefined, { signal: deps.signal });
  }
}

export async function cutConnections({ databaseUrl, blows, say, signal }: DoseDeps): Promise<void> {
  for (let count = 1; count <= blows; count += 1) {
    const cut = await query(databaseUrl, `select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`);
    say(`cut ${cut.length} connections to the database (${count} of ${blows})`);
    await sleep(betweenCutsMs, undefined, { signal });
  }
}

/** For all that use the server. */
export async function makeReadOnly({ databaseUrl, awayMs, say, signal }: DoseDeps): Promise<void> {
  const change = async (statement: string) => {
    await query(databaseUrl, statement);
    await query(databaseUrl, "select pg_reload_conf()");
  };
  await whileAway(awayMs, signal, {
    begin: async () => {
      await change("alter system set default_transaction_read_only = on");
      say(`made the database read-only for ${awayMs / 1_000} s`);
    },
    end: () => change("alter system reset default_transaction_read_only"),
  });
}

function clusterOf({ databaseDir }: DoseDeps): string {
  if (databaseDir === undefined) throw new Error("this dose needs the embedded database");
  return join(databaseDir, "cluster");
}
