import type { AdapterDeps } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import type { MatrixConfig } from "../config.ts";
import type { RoomCrypto } from "../crypto.ts";
import type { Identity } from "../login.ts";
import { restoreDatabases } from "./databases.ts";
import { DeviceCrypto } from "./device-crypto.ts";
import { provideIndexedDb } from "./indexed-db.ts";
import { recoveryKeyBytes } from "./recovery-key.ts";
import type { Library } from "./requests.ts";
import { SecretStorage } from "./secret-storage.ts";
import { Snapshot } from "./snapshot.ts";

/** How many machines this process has made; each gets databases of its own. */
let machines = 0;

/**
 * Opens the encryption of a device with its stored keys. Throws `invalid_request` for a token without a device, and for a
 * device that has published keys which are not stored here.
 */
export async function openCrypto(
  config: MatrixConfig,
  { id, store, log, clock, isTrial = false }: AdapterDeps,
  { userId, deviceId, client }: Identity,
  signal: AbortSignal,
): Promise<RoomCrypto> {
  if (deviceId === undefined)
    throw new GatewayError("the access token belongs to no device: encryption needs one", { code: "invalid_request" });
  const indexedDb = await provideIndexedDb();
  const library: Library = await import("@matrix-org/matrix-sdk-crypto-wasm");
  await library.initAsync();
  machines += 1;
  const prefix = `talaria/${id}/${machines}`;
  const snapshot = new Snapshot(store, `${userId} ${deviceId}`);
  const dumps = await snapshot.load();
  if (dumps === undefined) await demandFresh(userId, deviceId, client, signal);
  else await restoreDatabases(indexedDb, prefix, dumps);
  const handle = await library.StoreHandle.open(prefix, undefined, silentLogger);
  const machine = await library.OlmMachine.initFromStore(
    new library.UserId(userId),
    new library.DeviceId(deviceId),
    handle,
    silentLogger,
  );
  machine.roomKeyRequestsEnabled = true;
  const { trust, password, recoveryKey } = config;
  const crypto = new DeviceCrypto({
    library,
    machine,
    client,
    snapshot,
    indexedDb,
    prefix,
    trust,
    log,
    clock,
    password,
    isTrial,
  });
  try {
    const key = recoveryKey === undefined ? undefined : recoveryKeyBytes(recoveryKey);
    const secrets = key && (await SecretStorage.open(client, userId, key, signal));
    await crypto.prepare(secrets, signal);
    return crypto;
  } catch (error) {
    await crypto.close();
    throw error;
  }
}

const nothing = () => undefined;

/** The library's log names people and rooms. */
const silentLogger = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

const deviceKeys = z.object({ device_keys: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Without the keys that it has published, the device could read nothing, and others would take us for an impostor. */
async function demandFresh(
  userId: string,
  deviceId: string,
  client: Identity["client"],
  signal: AbortSignal,
): Promise<void> {
  const body = { device_keys: { [userId]: [deviceId] } };
  const answer = await client.call({ method: "POST", path: "/client/v3/keys/query", body }, signal);
  const known = deviceKeys.safeParse(answer).data?.device_keys[userId];
  if (known !== undefined && Object.hasOwn(known, deviceId))
    throw new GatewayError("this device was used before, and its keys are not here", { code: "invalid_request" });
}
