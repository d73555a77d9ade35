import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:net";
import { join } from "node:path";
import { GatewayError } from "@talaria/protocol";

/** A folder of its own in which a server listens on a socket. */
export interface HostDoor {
  readonly root: string;
  readonly socket: string;
  /** Stops the server and deletes the folder. May be called again. */
  close(): Promise<void>;
}

/**
 * `prefix`: of the folder's name, in `base`. `owner`: whose programs may connect; the worker's own by default. Throws `unsupported`
 * where the path of `base` is too long for a socket in it.
 */
export async function openHostDoor(
  base: string,
  prefix: string,
  server: Server,
  owner: { readonly uid: number; readonly gid: number } | undefined,
): Promise<HostDoor> {
  const root = await mkdtemp(join(base, prefix));
  const socket = join(root, "door");
  const close = async () => {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    // What has just been killed may still be writing.
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    // mkdtemp makes it for its owner alone, and programs of root's run as somebody else.
    await chmod(root, 0o711);
    await listen(server, socket);
    // Nobody else can connect: its folder may be passed by all, but the socket takes its owner's connections alone.
    if (owner !== undefined) await chown(socket, owner.uid, owner.gid);
    return { root, socket, close };
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
    // It stays: a connection that can't be taken later, for want of descriptors, must not end the process.
    server.on("error", reject);
    server.listen(path, resolve);
  });
}
