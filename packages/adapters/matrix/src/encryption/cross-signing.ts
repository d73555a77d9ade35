import type { OlmMachine } from "@matrix-org/matrix-sdk-crypto-wasm";
import { GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import type { MatrixClient } from "../client.ts";
import type { MatrixConfig } from "../config.ts";
import { carryOut, type Library } from "./requests.ts";
import type { SecretStorage } from "./secret-storage.ts";

export interface CrossSigningDeps {
  readonly library: Library;
  readonly machine: OlmMachine;
  readonly client: MatrixClient;
  readonly log: Log;
  readonly password: MatrixConfig["password"];
  readonly isTrial: boolean;
  /** Stores the keys of this device. */
  readonly save: () => Promise<void>;
}

const names = {
  master: "m.cross_signing.master",
  selfSigning: "m.cross_signing.self_signing",
  userSigning: "m.cross_signing.user_signing",
} as const;

/**
 * Cross-signs this device with keys from the secret storage or, if the account has none, with new ones. The account's own
 * keys must have been queried before. Without `secrets`, an account whose keys are elsewhere stays as it is and people see
 * an unverified device. So does an account on trial: its new keys would be lost with the trial.
 */
export async function crossSign(
  deps: CrossSigningDeps,
  secrets: SecretStorage | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { library, machine, log } = deps;
  const userId = () => new library.UserId(machine.userId.toString());
  const isPublished = (await machine.getIdentity(userId())) !== undefined;
  if (!(await hasKeys(machine)) && isPublished && !(await importKeys(machine, secrets, signal))) {
    log.warn({}, "this device is not verified: set recoveryKey to the account's recovery key");
    return;
  }
  if (!isPublished && secrets === undefined && deps.isTrial) return;
  if (!isPublished && !(await publish(deps, signal))) return;
  if (secrets !== undefined) await keepSecrets(machine, secrets, signal);
  const device = await machine.getDevice(userId(), new library.DeviceId(machine.deviceId.toString()));
  if (device === undefined || device.isCrossSignedByOwner()) return;
  await carryOut(deps, await device.verify(), signal);
}

async function hasKeys(machine: OlmMachine): Promise<boolean> {
  const { hasMaster, hasSelfSigning, hasUserSigning } = await machine.crossSigningStatus();
  return hasMaster && hasSelfSigning && hasUserSigning;
}

async function importKeys(
  machine: OlmMachine,
  secrets: SecretStorage | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (secrets === undefined) return false;
  const [master, selfSigning, userSigning] = await Promise.all(
    [names.master, names.selfSigning, names.userSigning].map((name) => secrets.get(name, signal)),
  );
  if (master === undefined || selfSigning === undefined || userSigning === undefined) return false;
  await machine.importCrossSigningKeys(master, selfSigning, userSigning);
  return hasKeys(machine);
}

/** Creates keys if there are none, and uploads them. False when the homeserver asks for a proof that we can't give. */
async function publish(deps: CrossSigningDeps, signal: AbortSignal): Promise<boolean> {
  const { machine, save, log } = deps;
  const requests = await machine.bootstrapCrossSigning(!(await hasKeys(machine)));
  await save();
  if (requests.uploadKeysRequest) await carryOut(deps, requests.uploadKeysRequest, signal);
  try {
    await uploadSigningKeys(deps, JSON.parse(requests.uploadSigningKeysRequest.body) as object, signal);
  } catch (error) {
    if (!isGatewayError(error) || (error.code !== "unauthorized" && error.code !== "forbidden")) throw error;
    log.warn({ error }, "the homeserver accepts no cross-signing keys without the password");
    return false;
  }
  await carryOut(deps, requests.uploadSignaturesRequest, signal);
  return true;
}

/**
 * Most homeservers accept an account's first keys without a password. Others answer with the session in which to give it.
 */
async function uploadSigningKeys({ client, machine, password }: CrossSigningDeps, keys: object, signal: AbortSignal) {
  const upload = (body: object) =>
    client.call({ method: "POST", path: "/client/v3/keys/device_signing/upload", body }, signal);
  try {
    await upload(keys);
  } catch (error) {
    const session = error instanceof GatewayError ? error.details.uiaSession : undefined;
    if (session === undefined || password === undefined) throw error;
    const identifier = { type: "m.id.user", user: machine.userId.toString() };
    await upload({ ...keys, auth: { type: "m.login.password", session, identifier, password } });
  }
}

async function keepSecrets(machine: OlmMachine, secrets: SecretStorage, signal: AbortSignal): Promise<void> {
  const keys = await machine.exportCrossSigningKeys();
  if (keys === undefined) return;
  const { masterKey, self_signing_key: selfSigning, userSigningKey } = keys;
  const wanted = { [names.master]: masterKey, [names.selfSigning]: selfSigning, [names.userSigning]: userSigningKey };
  for (const [name, secret] of Object.entries(wanted))
    if (secret !== undefined && (await secrets.get(name, signal)) === undefined)
      await secrets.set(name, secret, signal);
}
