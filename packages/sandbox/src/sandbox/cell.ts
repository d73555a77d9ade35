import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:net";
import { join } from "node:path";
import { GatewayError } from "@talaria/protocol";
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
  const root = await mkdtemp(join(base, "cell-"));
  // mkdtemp makes it for its owner alone, and programs of root's run as somebody else.
  await chmod(root, 0o711);
  const owner = account.credentials.uid === undefined ? undefined : account;
  let place: Place | undefined;
  const close = async () => {
    await place?.close();
    if (door.listening) await new Promise((resolve) => door.close(resolve));
    // What has just been killed may still be writing.
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    const socket = join(root, "door");
    await listen(door, socket);
    // Nobody else can connect: its folder may be passed by all, but the socket takes its owner's connections alone.
    if (owner !== undefined) await chown(socket, owner.uid, owner.gid);
    const way = { socket, variables: {}, stop: async () => undefined };
    const own = await placeIn(await openSessionFolder(root, "cell", owner), way);
    place = own;
    return { port: proxyPort, launch: (argv) => own.launch({ argv, folder: own.folder, variables: {} }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `sockaddr_un` has 108 bytes with the NUL at its end (unix(7)). */
const maxPathBytes = 107;

async function listen(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes)
    throw new GatewayError(
      `${path} is longer than the ${maxPathBytes} bytes of a socket's path; choose a shorter folder`,
      {
        code: "unsupported",
      },
    );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
