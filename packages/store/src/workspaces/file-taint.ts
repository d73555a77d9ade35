import type { Database } from "../database/database.ts";
import type { FileTaintStore } from "../ports/workspaces.ts";
import { writeHeld } from "./held-session.ts";

const mostPaths = 500;

/** Both, each path once; null as soon as one of them is, or there are too many. */
const marked = `insert into file_taint (session_key, paths) select session_key, $4::text[] from held
  on conflict (session_key) do update set marked_at = clock_timestamp(), paths = (
    select case when count(*) <= ${mostPaths} then array_agg(path order by path) end
      from (select unnest(file_taint.paths) as path union select unnest(excluded.paths)) as either
     where file_taint.paths is not null and excluded.paths is not null)
  returning session_key`;

export function createFileTaintStore(database: Database): FileTaintStore {
  return {
    async of(sessionKey) {
      const [row] = await database.query<{ readonly paths: readonly string[] | null }>({
        name: "find_file_taint",
        text: "select paths from file_taint where session_key = $1",
        values: [sessionKey],
      });
      return row === undefined ? [] : (row.paths ?? "all");
    },

    async mark(lease, files) {
      const paths = files === "all" || files.length > mostPaths ? null : [...files];
      await writeHeld(database, lease, marked, [paths]);
    },
  };
}
