import { GatewayError } from "@talaria/protocol";
import { seal, unseal } from "../accounts/sealed-value.ts";
import type { Database } from "../database/database.ts";
import type { ServerLoginStore } from "../ports/logins.ts";

/** Without a key, `load` and `save` throw `unauthorized`. */
export function createServerLoginStore(database: Database, loginKey: Uint8Array | undefined): ServerLoginStore {
  function key(): Uint8Array {
    if (loginKey !== undefined) return loginKey;
    throw new GatewayError("the key of logins is needed to read what logins gave", {
      code: "unauthorized",
    });
  }

  return {
    async load(server, issuer) {
      const [row] = await database.query<{ value: Buffer }>({
        text: "select value from mcp_login where server = $1 and issuer = $2",
        values: [server, issuer],
      });
      return row && opened(key(), server, issuer, row.value);
    },

    async save(server, issuer, secret) {
      await database.query({
        text: `insert into mcp_login (server, issuer, value) values ($1, $2, $3)
               on conflict (server, issuer) do update set value = excluded.value`,
        values: [server, issuer, seal(key(), placeOf(server, issuer), secret)],
      });
    },

    async forget(server, issuer) {
      await database.query({
        text: "delete from mcp_login where server = $1 and issuer = $2",
        values: [server, issuer],
      });
    },

    async forgetAll(server) {
      const text = "delete from mcp_login where server = $1 returning server";
      return (await database.query({ text, values: [server] })).length > 0;
    },
  };
}

function opened(key: Uint8Array, server: string, issuer: string, sealed: Buffer): string {
  try {
    return unseal(key, placeOf(server, issuer), sealed);
  } catch (cause) {
    throw new GatewayError(
      `the login to "${server}" was kept with another logins.key: use the same file everywhere, or log out and in again`,
      { code: "unauthorized", cause, details: { server } },
    );
  }
}

function placeOf(server: string, issuer: string): readonly string[] {
  return ["mcp login", server, issuer];
}
