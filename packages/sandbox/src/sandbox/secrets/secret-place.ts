import { GatewayError } from "@talaria/protocol";
import { openHostDoor } from "../../host-door.ts";
import type { Place, Program, RunningProgram } from "../../place.ts";
import type { Account } from "../account.ts";
import { type HostProxy, proxyVariables } from "../proxy.ts";
import { type CertificateAuthority, trustVariables } from "./authority.ts";
import { createSecretDoor } from "./door.ts";
import { handOut, type SecretSettings, variableOf } from "./secret.ts";

export interface SecretParts {
  readonly secrets: readonly SecretSettings[];
  readonly authority: CertificateAuthority;
  readonly account: Account;
  /** Where doors lie. */
  readonly base: string;
  /** What leads out of this machine. */
  readonly proxy: HostProxy;
  /** A place with the session's files whose network leads to `way` alone. */
  readonly placeIn: (way: HostProxy) => Promise<Place>;
}

/**
 * Runs a program that has secrets, with a network of its own: no other process of the session reaches its proxy, or it them. Its
 * handles are worth nothing as soon as it has ended.
 */
export async function launchWithSecrets(
  program: Program,
  names: readonly string[],
  { secrets, authority, account, base, proxy, placeIn }: SecretParts,
): Promise<RunningProgram> {
  const handed = [...new Set(names)].map((name) => handOut(secretNamed(name, secrets)));
  const door = createSecretDoor({ secrets: handed, authority, way: proxy });
  const owner = account.credentials.uid === undefined ? undefined : account;
  const { socket, close: closeDoor } = await openHostDoor(base, "", door.server, owner);
  let place: Place | undefined;
  const close = async () => {
    door.close();
    await place?.close();
    await closeDoor();
  };
  try {
    const handles = Object.fromEntries(handed.map(({ name, handle }) => [variableOf(name), handle]));
    const variables = { ...proxyVariables(""), ...trustVariables };
    place = await placeIn({ socket, variables, stop: async () => undefined });
    const running = await place.launch({ ...program, variables: { ...program.variables, ...handles } });
    return {
      ...running,
      ended: running.ended.then(async (end) =>
        close().then(
          () => end,
          () => end,
        ),
      ),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function secretNamed(name: string, secrets: readonly SecretSettings[]): SecretSettings {
  const found = secrets.find((secret) => secret.name === name);
  if (found !== undefined) return found;
  throw new GatewayError(`there is no secret called ${name.slice(0, 100)}`, { code: "invalid_request" });
}
