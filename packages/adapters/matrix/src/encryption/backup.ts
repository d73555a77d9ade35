import type { BackupDecryptionKey, OlmMachine, RoomId } from "@matrix-org/matrix-sdk-crypto-wasm";
import { BoundedMap } from "@talaria/adapter-kit";
import { isGatewayError, type Log } from "@talaria/protocol";
import { z } from "zod";
import { type MatrixClient, path } from "../client.ts";
import type { Library } from "./requests.ts";
import type { SecretStorage } from "./secret-storage.ts";

export interface BackupDeps {
  readonly library: Library;
  readonly machine: OlmMachine;
  readonly client: MatrixClient;
  readonly log: Log;
}

const version = z.object({ version: z.string(), auth_data: z.object({ public_key: z.string() }) });
const entry = z.object({
  session_data: z.object({ ephemeral: z.string(), mac: z.string(), ciphertext: z.string() }),
});

/** How long until the backup is asked again for a room key that it lacked. */
const askAgainMs = 10 * 60_000;

/** The account's encrypted backup of room keys at the homeserver, which its other devices write. */
export class Backup {
  readonly #deps: BackupDeps;
  readonly #version: string;
  readonly #key: BackupDecryptionKey;
  readonly #asked = new BoundedMap<string, number>(1_000);

  private constructor(deps: BackupDeps, backupVersion: string, key: BackupDecryptionKey) {
    this.#deps = deps;
    this.#version = backupVersion;
    this.#key = key;
  }

  /** Undefined when the account has no backup, or one that its secrets can't open. */
  static async open(deps: BackupDeps, secrets: SecretStorage, signal: AbortSignal): Promise<Backup | undefined> {
    const secret = await secrets.get("m.megolm_backup.v1", signal);
    if (secret === undefined) return undefined;
    const answer = await deps.client
      .call({ method: "GET", path: "/client/v3/room_keys/version" }, signal)
      .catch(noneIfMissing);
    const current = version.safeParse(answer);
    if (!current.success) return undefined;
    try {
      const key = deps.library.BackupDecryptionKey.fromBase64(secret);
      const isOurs = key.megolmV1PublicKey.publicKeyBase64 === current.data.auth_data.public_key;
      return isOurs ? new Backup(deps, current.data.version, key) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Imports a room key from the backup. Resolves with true once we have it. Never throws. */
  async fetch(roomId: string, sessionId: string, elapsedMs: number, signal: AbortSignal): Promise<boolean> {
    const { library, machine, client, log } = this.#deps;
    const lastMs = this.#asked.get(sessionId);
    if (lastMs !== undefined && elapsedMs - lastMs < askAgainMs) return false;
    this.#asked.set(sessionId, elapsedMs);
    try {
      const where = path`/client/v3/room_keys/keys/${roomId}/${sessionId}`;
      const answer = await client.call({ method: "GET", path: where, query: { version: this.#version } }, signal);
      const { ephemeral, mac, ciphertext } = entry.parse(answer).session_data;
      const key = JSON.parse(this.#key.decryptV1(ephemeral, mac, ciphertext)) as object;
      const keys = new Map<RoomId, Map<string, unknown>>([
        [new library.RoomId(roomId), new Map([[sessionId, { ...key, room_id: roomId, session_id: sessionId }]])],
      ]);
      const { importedCount } = await machine.importBackedUpRoomKeys(keys, () => undefined, this.#version);
      return importedCount > 0;
    } catch (error) {
      if (!isGatewayError(error, "not_found")) log.debug({ error }, "the backup of room keys could not be queried");
      return false;
    }
  }
}

function noneIfMissing(error: unknown): undefined {
  if (!isGatewayError(error, "not_found")) throw error;
}
