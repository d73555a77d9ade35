import { GatewayError, instantOf, type ProcessId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import type { ProcessRow, ProcessStore } from "../ports/operations.ts";
import { registerQuery, renewQuery, retireQuery } from "./process-queries.ts";

interface Row {
  readonly id: ProcessId;
  readonly kind: ProcessRow["kind"];
  readonly host: string;
  readonly pid: number;
  readonly supervisor: string | null;
  readonly started_at: Date;
  readonly lease_until: Date;
  readonly stats: ProcessRow["stats"];
}

export function createProcessStore(database: Database): ProcessStore {
  return {
    async register(lease, ttlMs) {
      await database.query(registerQuery(lease, ttlMs));
    },

    async renew(id, ttlMs, stats) {
      return (await database.query(renewQuery(id, ttlMs, toJson(stats)))).length > 0;
    },

    async retire(id) {
      const text = "select kind from process where id = $1";
      const [row] = await database.query<Pick<Row, "kind">>({ text, values: [id] });
      await database.query(retireQuery(id, row?.kind ?? "gateway"));
    },

    async mostConnections() {
      const [row] = await database.query<{ readonly count: number }>({
        text: `
          select current_setting('max_connections')::integer
               - current_setting('superuser_reserved_connections')::integer
               - coalesce(current_setting('reserved_connections', true)::integer, 0) as count`,
      });
      return row?.count ?? 0;
    },

    async server() {
      const [row] = await database.query<{ readonly version: string; readonly bytes: number; readonly now: Date }>({
        text: `
          select split_part(current_setting('server_version'), ' ', 1) as version,
                 pg_database_size(current_database())::float8 as bytes, clock_timestamp() as now`,
      });
      if (row === undefined) throw new GatewayError("the database gave no answer", { code: "internal" });
      return { version: row.version, databaseBytes: row.bytes, now: instantOf(row.now.getTime()) };
    },

    async list() {
      const rows = await database.query<Row>({
        text: "select * from process where lease_until > clock_timestamp() order by started_at, id",
      });
      return rows.map(({ started_at, lease_until, supervisor, ...row }) => ({
        ...row,
        ...(supervisor === null ? {} : { supervisor }),
        startedAt: instantOf(started_at.getTime()),
        leaseEndsAt: instantOf(lease_until.getTime()),
      }));
    },
  };
}
