import { type HostDoor, openHostDoor } from "../../host-door.ts";
import type { Account } from "../account.ts";
import type { HostProxy } from "../proxy.ts";
import { createDoor } from "../secrets/door.ts";
import { NetworkLog } from "./network-log.ts";
import { networkVariables } from "./network-variables.ts";
import { createWays, type WaysParts } from "./ways.ts";

export interface SessionDoor {
  readonly way: HostProxy;
  readonly log: NetworkLog;
}

export interface SessionDoorParts extends Pick<WaysParts, "hosts" | "open" | "proxy" | "addresses"> {
  readonly account: Account;
  /** Where doors lie. */
  readonly base: string;
}

/**
 * The proxy of a session's commands that name no host: it says no at once, and knows to what. `hosts`: those that all of its programs
 * reach. Throws `unsupported` where the path of `base` is too long for a socket in it.
 */
export async function openSessionDoor({ account, base, ...out }: SessionDoorParts): Promise<SessionDoor> {
  const log = new NetworkLog();
  const door = createDoor({ secrets: [], authority: undefined, ways: createWays({ ...out, log }) });
  const owner = account.credentials.uid === undefined ? undefined : account;
  const { socket, close }: HostDoor = await openHostDoor(base, "d-", door.server, owner);
  const stop = async () => {
    door.close();
    await close();
  };
  return { log, way: { socket, variables: networkVariables(out.hosts.length > 0 ? "open" : "closed"), stop } };
}
