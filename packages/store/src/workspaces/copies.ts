import { GatewayError } from "@talaria/protocol";
import type { Database, Value } from "../database/database.ts";
import type { SessionLease } from "../ports/turns.ts";
import type { WorkspaceCopyStore } from "../ports/workspaces.ts";

/** The session, for whoever holds it alone. */
const held = "select session_key from session where session_key = $1 and owner = $2 and fence = $3 for update";

export function createWorkspaceCopyStore(database: Database): WorkspaceCopyStore {
  const write = async ({ sessionKey, holder, fence }: SessionLease, text: string, values: readonly Value[]) => {
    const rows = await database.query({ text, values: [sessionKey, holder, fence, ...values] });
    if (rows.length === 0) throw new GatewayError("another worker holds the session now", { code: "conflict" });
  };
  return {
    async find(sessionKey, place) {
      const [row] = await database.query<{
        readonly place: string;
        readonly digest: string;
        readonly bytes: Buffer | null;
      }>({
        name: "find_copy",
        text: "select place, digest, case when place <> $2 then bytes end as bytes from workspace_copy where session_key = $1",
        values: [sessionKey, place],
      });
      return row && { place: row.place, digest: row.digest, ...(row.bytes === null ? {} : { bytes: row.bytes }) };
    },

    async keep(lease, { place, digest, bytes }) {
      const text = `with held as (${held})
        insert into workspace_copy (session_key, place, digest, bytes) select session_key, $4, $5, $6 from held
        on conflict (session_key) do update
          set place = excluded.place, digest = excluded.digest, bytes = excluded.bytes, kept_at = clock_timestamp()
        returning session_key`;
      await write(lease, text, [place, digest, bytes === undefined ? null : Buffer.from(bytes)]);
    },

    async claim(lease, place) {
      const text = `with held as (${held})
        update workspace_copy set place = $4 from held where workspace_copy.session_key = held.session_key
        returning place`;
      await write(lease, text, [place]);
    },

    async places() {
      const text = `select distinct stats ->> 'place' as place from process
                     where kind = 'worker' and lease_until > clock_timestamp() and stats ? 'place' limit 1000`;
      return (await database.query<{ readonly place: string }>({ text })).map(({ place }) => place);
    },
  };
}
