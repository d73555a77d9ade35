import { handOut, type SecretSettings } from "@talaria/foreign-content";
import { type Clock, commandHostFault, coversHost, GatewayError, mostCommandHosts } from "@talaria/protocol";
import { openHostDoor } from "../../host-door.ts";
import type { ApartSettings, Place, Program, RunningProgram } from "../../place.ts";
import type { Account } from "../account.ts";
import type { HostProxy } from "../proxy.ts";
import { type CertificateAuthority, trustVariables } from "../secrets/authority.ts";
import { createDoor } from "../secrets/door.ts";
import { NetworkLog } from "./network-log.ts";
import { networkVariables } from "./network-variables.ts";
import { createWays, type WaysParts } from "./ways.ts";

export interface ApartParts extends Pick<WaysParts, "open" | "proxy" | "addresses"> {
  readonly secrets: readonly SecretSettings[];
  /** Where there are secrets. */
  readonly authority: CertificateAuthority | undefined;
  readonly account: Account;
  readonly clock: Clock;
  /** Where doors lie. */
  readonly base: string;
  /** A place with the session's files whose network leads to `way` alone. */
  readonly placeIn: (way: HostProxy) => Promise<Place>;
}

/** For how long a process that goes on in the background keeps its network. */
const longestMs = 60 * 60_000;

/**
 * Runs a program with a network of its own: no other process of the session reaches its proxy, or it them. Its hosts are closed and
 * its handles worth nothing as soon as it has ended, or after an hour.
 */
export async function launchApart(
  program: Program,
  { network = [], secrets: names = [] }: ApartSettings,
  { secrets, authority, account, base, clock, placeIn, ...out }: ApartParts,
): Promise<RunningProgram> {
  checkHosts(network, out.open);
  const handed = [...new Set(names)].map((name) => handOut(secretNamed(name, secrets)));
  const log = new NetworkLog();
  const use = log.fromNow();
  const hosts = [...network, ...handed.flatMap((secret) => secret.hosts)];
  const door = createDoor({ secrets: handed, authority, ways: createWays({ ...out, hosts, log }) });
  const owner = account.credentials.uid === undefined ? undefined : account;
  const { socket, close: closeDoor } = await openHostDoor(base, "d-", door.server, owner);
  const over = new AbortController();
  void clock.sleep(longestMs, over.signal).then(door.close, () => undefined);
  let place: Place | undefined;
  const close = async () => {
    over.abort();
    door.close();
    await place?.close();
    await closeDoor();
  };
  try {
    const handles = Object.fromEntries(handed.map(({ name, handle }) => [variableOf(name), handle]));
    const variables = { ...networkVariables("open"), ...(handed.length > 0 && trustVariables) };
    place = await placeIn({ socket, variables, stop: async () => undefined });
    const running = await place.launch({ ...program, variables: { ...program.variables, ...handles } });
    return {
      ...running,
      network: { use, fromNow: () => log.fromNow() },
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

/** Whoever calls has checked them; this is the last to look. The operator's own may have any form. */
function checkHosts(network: readonly string[], open: readonly string[]): void {
  if (network.length > mostCommandHosts)
    throw new GatewayError(`a command may name at most ${mostCommandHosts} hosts`, { code: "invalid_request" });
  for (const host of network) {
    const fault = coversHost(open, host) ? undefined : commandHostFault(host);
    if (fault !== undefined) throw new GatewayError(`a host of \`network\` ${fault}`, { code: "invalid_request" });
  }
}

function secretNamed(name: string, secrets: readonly SecretSettings[]): SecretSettings {
  const found = secrets.find((secret) => secret.name === name);
  if (found !== undefined) return found;
  if (secrets.length === 0)
    throw new GatewayError("there are no secrets for commands here: name them in `sandbox.secrets`", {
      code: "unsupported",
    });
  throw new GatewayError(`there is no secret called ${name.slice(0, 100)}`, { code: "invalid_request" });
}

/** The environment variable in which a command finds the handle. */
function variableOf(name: string): string {
  return `TALARIA_SECRET_${name.toUpperCase()}`;
}
