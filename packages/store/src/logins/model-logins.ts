import type { Database } from "../database/database.ts";
import type { ModelLoginStore, ServerLoginStore } from "../ports/logins.ts";

/** The first number keeps these locks apart from all others of ours. */
const lockText = "select pg_try_advisory_lock(7420003, hashtext($1)) as locked";
const unlockText = "select pg_advisory_unlock(7420003, hashtext($1))";

/** `open` returns a connection of its own: the right to be alone ends with it, also when the process dies. */
export function createModelLoginStore(servers: ServerLoginStore, open: () => Database): ModelLoginStore {
  return {
    load: (login, part) => servers.load(placeOf(login), part),
    save: (login, part, secret) => servers.save(placeOf(login), part, secret),
    forget: (login, part) => servers.forget(placeOf(login), part),

    async alone(login, work) {
      const database = open();
      try {
        const [lock] = await database.query<{ locked: boolean }>({ text: lockText, values: [login] });
        if (!lock?.locked) return false;
        try {
          await work();
        } finally {
          // The server notices a closed connection only later. Where this fails, it does so then.
          await database.query({ text: unlockText, values: [login] }).catch(() => undefined);
        }
        return true;
      } finally {
        await database.close();
      }
    },
  };
}

/** No MCP server has such a name. */
function placeOf(login: string): string {
  return `model:${login}`;
}
