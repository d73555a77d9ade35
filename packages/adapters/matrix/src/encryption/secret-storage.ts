import { randomBytes } from "node:crypto";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { calculateKeyCheck } from "matrix-js-sdk/lib/secret-storage.js";
import decryptItem from "matrix-js-sdk/lib/utils/decryptAESSecretStorageItem.js";
import encryptItem from "matrix-js-sdk/lib/utils/encryptAESSecretStorageItem.js";
import { z } from "zod";
import { type MatrixClient, path } from "../client.ts";

const algorithm = "m.secret_storage.v1.aes-hmac-sha2";
const keyInfo = z.object({ algorithm: z.string(), iv: z.string().optional(), mac: z.string().optional() });
const sealed = z.object({ iv: z.string(), ciphertext: z.string(), mac: z.string() });
type KeyInfo = z.output<typeof keyInfo>;
type Key = Uint8Array<ArrayBuffer>;

/** Secrets that the homeserver keeps for the account, sealed with the recovery key (specification, secret storage). */
export class SecretStorage {
  readonly #client: MatrixClient;
  readonly #userId: string;
  readonly #key: Key;
  readonly #keyId: string;

  private constructor(client: MatrixClient, userId: string, key: Key, keyId: string) {
    this.#client = client;
    this.#userId = userId;
    this.#key = key;
    this.#keyId = keyId;
  }

  /** Opens the account's storage, or makes one where there is none. Throws `invalid_request` when the key does not fit. */
  static async open(client: MatrixClient, userId: string, key: Key, signal: AbortSignal): Promise<SecretStorage> {
    const data = new AccountData(client, userId);
    const standard = z.object({ key: z.string() }).safeParse(await data.get("m.secret_storage.default_key", signal));
    if (!standard.success) return SecretStorage.#make(data, key, signal);
    const keyId = standard.data.key;
    const info = keyInfo.safeParse(await data.get(`m.secret_storage.key.${keyId}`, signal)).data;
    if (info?.algorithm !== algorithm || !(await fits(key, info)))
      throw new GatewayError("recoveryKey does not open the secret storage of this account", {
        code: "invalid_request",
      });
    return new SecretStorage(client, userId, key, keyId);
  }

  static async #make(data: AccountData, key: Key, signal: AbortSignal): Promise<SecretStorage> {
    const keyId = randomBytes(24).toString("base64url");
    const { iv, mac } = await calculateKeyCheck(key);
    await data.set(`m.secret_storage.key.${keyId}`, { algorithm, iv, mac, name: "Talaria" }, signal);
    await data.set("m.secret_storage.default_key", { key: keyId }, signal);
    return new SecretStorage(data.client, data.userId, key, keyId);
  }

  /** Undefined when there is none, when only other keys open it, or when it was altered. */
  async get(name: string, signal: AbortSignal): Promise<string | undefined> {
    const stored = await new AccountData(this.#client, this.#userId).get(name, signal);
    const all = z.object({ encrypted: z.record(z.string(), z.unknown()) }).safeParse(stored).data?.encrypted ?? {};
    const own = sealed.safeParse(all[this.#keyId]);
    // What was altered can't be decrypted.
    return own.success ? decryptItem(own.data, this.#key, name).catch(() => undefined) : undefined;
  }

  async set(name: string, secret: string, signal: AbortSignal): Promise<void> {
    const content = { encrypted: { [this.#keyId]: await encryptItem(secret, this.#key, name) } };
    await new AccountData(this.#client, this.#userId).set(name, content, signal);
  }
}

class AccountData {
  readonly client: MatrixClient;
  readonly userId: string;

  constructor(client: MatrixClient, userId: string) {
    this.client = client;
    this.userId = userId;
  }

  async get(type: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.client.call({ method: "GET", path: this.#path(type) }, signal);
    } catch (error) {
      if (isGatewayError(error, "not_found")) return undefined;
      throw error;
    }
  }

  async set(type: string, body: object, signal: AbortSignal): Promise<void> {
    await this.client.call({ method: "PUT", path: this.#path(type), body }, signal);
  }

  #path(type: string): string {
    return path`/client/v3/user/${this.userId}/account_data/${type}`;
  }
}

/** A storage without a key check can't be verified: the key is assumed to fit. */
async function fits(key: Key, { iv, mac }: KeyInfo): Promise<boolean> {
  if (mac === undefined) return true;
  const check = await calculateKeyCheck(key, iv).catch(() => undefined);
  return check !== undefined && unpadded(check.mac) === unpadded(mac);
}

function unpadded(text: string): string {
  return text.replace(/=+$/, "");
}
