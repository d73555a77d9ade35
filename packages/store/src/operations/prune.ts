import type { Log, SessionKey } from "@talaria/protocol";
import { purgeChats } from "../chats/forget-chat.ts";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { OperationsStore, Pruned } from "../ports/operations.ts";
import { dropUnusedFunctions } from "../schema/function-sets.ts";
import { agedTables, pruneAged } from "./prune-aged.ts";

/** How many sessions one statement looks at, and the most entries that it deletes. */
const pageSessions = 500;
const pageEntries = 5_000;
const batchRows = 2_000;

/** Only one of several gateways prunes at a time. */
const lockText = "select pg_try_advisory_lock(7420002) as locked";
const unlockText = "select pg_advisory_unlock(7420002)";

type Step = (database: Database, olderThanDays: number, signal: AbortSignal) => Promise<number>;

/** Small tables: selects at most $2 rows older than $1 days. */
const small: Readonly<Record<string, string>> = {
  process: "select ctid from process where lease_until < now() - $1::integer * interval '1 day' limit $2",
  // Those of workers that are gone: nothing runs of them.
  background_process: `select ctid from background_process as one
     where started_at < now() - interval '1 hour' and $1::integer > 0
       and not is_alive(held_by)
     limit $2`,
  media: `select ctid from media
     where last_used_at < now() - case when sha256 is null then interval '1 hour' else $1::integer * interval '1 day' end
       and (sha256 is null or sha256 not in (select media_in_use()))
     limit $2`,
  pairing: "select ctid from pairing where expires_at < now() - $1::integer * interval '1 day' limit $2",
  spending: `select ctid from spending
     where started_at < now() - interval '1 day' - window_ms * interval '1 millisecond' and $1::integer > 0
     limit $2`,
  // What is kept of a conversation is newer, and so are its marks.
  chat: "select ctid from chat where greatest(last_at, deleted_at) < now() - $1::integer * interval '1 day' limit $2",
  // A group is told again after an hour, and each conversation of a limit in its next window, which lasts 30 days at most.
  told: `select ctid from told
     where told_at < now() - least($1::integer, case when topic like 'limit %' then 31 else 1 end) * interval '1 day'
     limit $2`,
  // What is in use, or was set aside, is known by its uses.
  skill_standing: `select ctid from skill_standing
     where greatest(last_used_at, restored_at) < now() - interval '1 year' and set_aside_at is null and $1::integer > 0
     limit $2`,
  // What was overheard is of use for a day at most.
  overheard: "select ctid from overheard where heard_at < now() - least($1::integer, 1) * interval '1 day' limit $2",
};

/** Sessions come after turns and events: a session that has none left is forgotten. */
const steps: Readonly<Record<string, Step>> = {
  ...Object.fromEntries(
    agedTables.map((table): [string, Step] => [
      table.table,
      (database, days, signal) => pruneAged(database, table, days, signal),
    ]),
  ),
  session: pruneSessions,
  deleted: (database, _, signal) => purgeChats(database, signal),
  ...Object.fromEntries(
    Object.entries(small).map(([table, rows]): [string, Step] => [
      table,
      (database, days, signal) => pruneSmall(database, table, rows, days, signal),
    ]),
  ),
  functions: async (database) => {
    await database.query({ text: dropUnusedFunctions });
    return 0;
  },
};

/**
 * Never removes what waits, runs or is pending, or what an active session remembers. When one step fails, the others
 * still run. `open` returns a connection of its own with a long statement timeout.
 */
export function createPrune(open: () => Database, log: Log): OperationsStore["prune"] {
  return async (olderThanDays, signal) => {
    const database = open();
    try {
      const [lock] = await database.query<{ locked: boolean }>({ text: lockText });
      if (!lock?.locked) return { removed: 0, failed: [] };
      const pruned = await runSteps(database, olderThanDays, signal, log);
      // The end of the connection would free it too, a little later.
      await database.query({ text: unlockText });
      return pruned;
    } finally {
      await database.close();
    }
  };
}

async function runSteps(database: Database, olderThanDays: number, signal: AbortSignal, log: Log): Promise<Pruned> {
  const failed: string[] = [];
  let removed = 0;
  for (const [name, step] of Object.entries(steps)) {
    if (signal.aborted) break;
    try {
      removed += await step(database, olderThanDays, signal);
    } catch (error) {
      failed.push(name);
      log.error({ table: name, error }, "old rows could not be removed");
    }
  }
  return { removed, failed };
}

async function pruneSmall(
  database: Database,
  table: string,
  rows: string,
  olderThanDays: number,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let count = batchRows; count === batchRows && !signal.aborted; total += count) {
    const [row] = await database.query<{ count: number }>({
      text: `with gone as (delete from ${table} where ctid = any (array(${rows})) returning 1)
             select count(*)::integer as count from gone`,
      values: [olderThanDays, batchRows],
    });
    count = row?.count ?? 0;
  }
  return total;
}

interface SessionsCall {
  readonly after: SessionKey | "";
  readonly olderThanDays: number;
  readonly sessions: number;
  readonly entries: number;
}

const pruneSessionPage = sqlLoneFunction<SessionsCall, { readonly removed: number; readonly next: SessionKey | null }>(
  "prune_sessions",
);

async function pruneSessions(database: Database, olderThanDays: number, signal: AbortSignal): Promise<number> {
  const prunePage = pruneSessionPage(database);
  let total = 0;
  for (let after: SessionsCall["after"] | null = ""; after !== null && !signal.aborted; ) {
    const page: { readonly removed: number; readonly next: SessionKey | null } = await prunePage({
      after,
      olderThanDays,
      sessions: pageSessions,
      entries: pageEntries,
    });
    total += page.removed;
    after = page.next;
  }
  return total;
}
