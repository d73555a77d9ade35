import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type AccountId, GatewayError } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { AdapterStateStore } from "../ports/accounts.ts";

/** A stored value is this version, then nonce, tag and ciphertext. */
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

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
        values: [accountId, name, encrypt(key(), accountId, name, value)],
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

function encrypt(key: Uint8Array, accountId: AccountId, name: string, value: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(accountId, name));
  const ciphertext = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), ciphertext]);
}

function decrypt(key: Uint8Array, accountId: AccountId, name: string, stored: Buffer): string {
  try {
    if (stored[0] !== version) throw new Error(`unknown version ${stored[0]}`);
    const nonce = stored.subarray(1, 1 + nonceBytes);
    const tag = stored.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
      .setAAD(associatedData(accountId, name))
      .setAuthTag(tag);
    const ciphertext = stored.subarray(1 + nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new GatewayError("what the adapter remembers was written with another secret key, or was altered", {
      code: "unauthorized",
      cause: error,
      details: { accountId, name },
    });
  }
}

/** A value can be moved to no other account or name. */
function associatedData(accountId: AccountId, name: string): Buffer {
  return Buffer.from(JSON.stringify([accountId, name]), "utf8");
}
