import { type Clock, GatewayError, isGatewayError } from "@talaria/protocol";
import type { Database, Query } from "../database/database.ts";
import { sqlStateOf } from "../database/database-error.ts";
import { installFunctions, noteUse, noteUseMs } from "./function-sets.ts";
import type { SqlSource } from "./sql-source.ts";
import { type Applied, refuseOutdated, refuseUnreadable } from "./versions.ts";

export interface AdmittedDatabase extends Database {
  /** Rejects with `unsupported` when this release can't work with the database. Each statement looks too. */
  enter(): Promise<void>;
}

/** The database whose statements may count on tables and functions of this release. */
export function admitted(
  database: Database,
  { migrations, functions }: SqlSource,
  clock: Pick<Clock, "elapsed">,
): AdmittedDatabase {
  let admission: Promise<void> | undefined;
  let isAdmitted = false;
  let notedAt = Number.NEGATIVE_INFINITY;

  /** Looks before the first statement. A refusal is not final: the database may be migrated meanwhile. */
  async function look(): Promise<void> {
    const [found] = await readState(database, functions.schema);
    refuseUnreadable(migrations, found.applied);
    refuseOutdated(migrations, found.applied);
    if (!found.installed) await install();
    if (found.fresh === true) notedAt = clock.elapsed();
    isAdmitted = true;
  }

  /** A role that may not install them leaves it to `talaria migrate`. */
  async function install(): Promise<void> {
    try {
      await database.query({ text: installFunctions(functions) });
    } catch (error) {
      if (sqlStateOf(error) !== insufficientPrivilege) throw error;
      throw new GatewayError("The database has no functions of this release: run `talaria migrate` with it first.", {
        code: "unsupported",
        effect: "none",
        cause: error,
      });
    }
  }

  function admit(): Promise<void> {
    admission ??= look().finally(() => {
      admission = undefined;
    });
    return admission;
  }

  /** Nobody waits for it, and when it fails, the next one does. */
  function note(): void {
    notedAt = clock.elapsed();
    database.query({ text: noteUse(functions) }).catch(() => undefined);
  }

  return {
    ...database,
    enter: async () => {
      if (!isAdmitted) await admit();
    },
    async query<Row>(query: Query): Promise<readonly Row[]> {
      if (!isAdmitted) await admit();
      if (clock.elapsed() - notedAt > noteUseMs) note();
      try {
        return await database.query<Row>(query);
      } catch (error) {
        if (!isOfDropped(error)) throw error;
        // Dropped while this process was paused for longer than a day. The statement has done nothing.
        isAdmitted = false;
        await admit();
        return await database.query<Row>(query);
      }
    },
  };
}

/** A function that is dropped at the moment in which a statement looks it up is no undefined one: PostgreSQL fails inside. */
function isOfDropped(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefinedFunction) return true;
  return (
    state === internalError && error instanceof Error && /cache lookup failed for function \d+$/.test(error.message)
  );
}

const internalError = "XX000";
const insufficientPrivilege = "42501";
const undefinedFunction = "42883";
const undefinedTable = "42P01";

interface State {
  readonly applied: readonly Applied[];
  readonly installed: boolean;
  /** The use was noted lately. */
  readonly fresh: boolean | null;
}

async function readState(database: Database, functions: string): Promise<readonly [State]> {
  try {
    const [state] = await database.query<State>({
      text: `
        select (select coalesce(json_agg(migration order by version), '[]') from migration) as applied,
               to_regnamespace($1) is not null and exists (select from function_set where name = $1) as installed,
               (select last_used > clock_timestamp() - $2::bigint * interval '1 millisecond'
                  from function_set where name = $1) as fresh`,
      values: [functions, noteUseMs / 2],
    });
    if (state === undefined) throw new GatewayError("the database gave no answer", { code: "internal" });
    return [state];
  } catch (error) {
    if (!isGatewayError(error) || sqlStateOf(error) !== undefinedTable) throw error;
    throw new GatewayError("The database has no tables of this release yet: run `talaria migrate` first.", {
      code: "unsupported",
      effect: "none",
      cause: error,
    });
  }
}
