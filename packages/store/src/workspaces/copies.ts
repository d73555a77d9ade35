import type { Database } from "../database/database.ts";
import type { WorkspaceCopyStore } from "../ports/workspaces.ts";
import { writeHeld } from "./held-session.ts";

export function createWorkspaceCopyStore(database: Database): WorkspaceCopyStore {
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
      const text = `insert into workspace_copy (session_key, place, digest, bytes) select session_key, $4, $5, $6 from held
        on conflict (session_key) do update
          set place = excluded.place, digest = excluded.digest, bytes = excluded.bytes, kept_at = clock_timestamp()
        returning session_key`;
      await writeHeld(database, lease, text, [place, digest, bytes === undefined ? null : Buffer.from(bytes)]);
    },

    async claim(lease, place) {
      const text = `update workspace_copy set place = $4 from held where workspace_copy.session_key = held.session_key
        returning place`;
      await writeHeld(database, lease, text, [place]);
    },

    async places() {
      const text = `select distinct stats ->> 'place' as place from process
                     where kind = 'worker' and lease_until > clock_timestamp() and stats ? 'place' limit 1000`;
      return (await database.query<{ readonly place: string }>({ text })).map(({ place }) => place);
    },
  };
}
