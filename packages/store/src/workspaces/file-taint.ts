import type { SessionKey } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { FileTaintStore, MarkedFiles } from "../ports/workspaces.ts";
import { writeHeld } from "./held-session.ts";

const mostPaths = 500;

/** Both, each path once; null as soon as one of them is, or there are too many. */
const added = `on conflict (session_key) do update set marked_at = clock_timestamp(), paths = (
    select case when count(*) <= ${mostPaths} and file_taint.paths is not null and excluded.paths is not null
                then coalesce(array_agg(path order by path), '{}') end
      from (select unnest(file_taint.paths) as path union select unnest(excluded.paths)) as either)`;

const marked = `insert into file_taint (session_key, paths) select session_key, $4::text[] from held
  ${added} returning session_key`;

export function createFileTaintStore(database: Database): FileTaintStore {
  const find = async (sessionKey: SessionKey): Promise<MarkedFiles | undefined> => {
    const [row] = await database.query<{ readonly paths: readonly string[] | null }>({
      name: "find_file_taint",
      text: "select paths from file_taint where session_key = $1",
      values: [sessionKey],
    });
    return row && (row.paths ?? "all");
  };
  return {
    of: async (sessionKey) => (await find(sessionKey)) ?? [],

    async mark(lease, files) {
      await writeHeld(database, lease, marked, [pathsOf(files)]);
    },

    ofCaller: find,

    async markOfCaller(workspace, files) {
      await database.query({
        text: `insert into file_taint (session_key, paths) values ($1, $2::text[]) ${added}`,
        values: [workspace, pathsOf(files)],
      });
    },
  };
}

/** Null: all of them. */
function pathsOf(files: MarkedFiles): readonly string[] | null {
  return files === "all" || files.length > mostPaths ? null : [...files];
}
