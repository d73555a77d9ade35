import type { Server } from "node:net";
import { openHostDoor } from "../host-door.ts";
import { openSessionFolder, type SessionFolder } from "../host-folder.ts";
import type { Cell, Place } from "../place.ts";
import type { Account } from "./account.ts";
import { type HostProxy, proxyPort } from "./proxy.ts";

export interface CellParts {
  readonly account: Account;
  /** Does not listen yet. */
  readonly door: Server;
  readonly placeIn: (folder: SessionFolder, way: HostProxy) => Promise<Place>;
}

/** A cell whose folder lies in `base`. Throws `unsupported` where the path of `base` is too long for a socket in it. */
export async function openCell(base: string, { account, door, placeIn }: CellParts): Promise<Cell> {
  const owner = account.credentials.uid === undefined ? undefined : account;
  const { root, socket, close: closeDoor } = await openHostDoor(base, "cell-", door, owner);
  let place: Place | undefined;
  const close = async () => {
    await place?.close();
    await closeDoor();
  };
  try {
    const way = { socket, variables: {}, stop: async () => undefined };
    const own = await placeIn(await openSessionFolder(root, "cell", owner), way);
    place = own;
    return { port: proxyPort, launch: (argv) => own.launch({ argv, folder: own.folder, variables: {} }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
