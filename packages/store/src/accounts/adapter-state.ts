import { type AccountId, GatewayError } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { AdapterStateStore } from "../ports/accounts.ts";
import { seal, unseal } from "./sealed-value.ts";

/** Without a key, or with another one than the values were written with, `read` and `write` throw `unauthorized`. */
export function createAdapterStateStore(database: Database, secretKey: Uint8Array | undefined): AdapterStateStore {
  function key(): Uint8Array {
    if (secretKey !== undefined) return secretKey;
    throw new GatewayError("the secret key of this home is needed to read what adapters remember", {
      code: "unauthorized",
    });
  }

  return {
    async read(accountId, name) {
      const [row] = await database.query<{ value: Buffer }>({
        text: "select value from adapter_state where account_id = $1 and name = $2",
        values: [accountId, name],
      });
      return row && decrypt(key(), accountId, name, row.value);
    },

    async write(accountId, name, value) {
      await database.query({
        name: "write_adapter_state",
        text: `insert into adapter_state (account_id, name, value) values ($1, $2, $3)
               on conflict (account_id, name) do update set value = excluded.value`,
        values: [accountId, name, seal(key(), [accountId, name], value)],
      });
    },

    async remove(accountId, name) {
      await database.query({
        text: "delete from adapter_state where account_id = $1 and name = $2",
        values: [accountId, name],
      });
    },
  };
}

function decrypt(key: Uint8Array, accountId: AccountId, name: string, stored: Buffer): string {
  try {
    return unseal(key, [accountId, name], stored);
  } catch (error) {
    throw new GatewayError("what the adapter remembers was written with another secret key, or was altered", {
      code: "unauthorized",
      cause: error,
      details: { accountId, name },
    });
  }
}
