import { randomBytes } from "node:crypto";
import { lstat, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "@talaria/protocol";

/** Of `sockaddr_un` on macOS, with its terminator; Linux has 108. https://man7.org/linux/man-pages/man7/unix.7.html */
const maxSocketBytes = 104;

/** A sign that this process lives, which ends with it however it ends. */
export interface Claim {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** What `isClaimed` is asked with, by whichever process of this machine. */
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Claims what lies on this machine, longer than this process may: a socket in `folder`, which must exist, that answers for as
 * long as the process lives. In place of a process id, which containers and the system give again. Where the folder's path is
 * too long for a socket, it lies in the folder for temporary files.
 */
export async function claim(folder: string): Promise<Claim> {
  const id = randomBytes(8).toString("hex");
  const path = claimPath(folder, id);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    // It stays: a connection that can't be taken later, for want of descriptors, must not end the process.
    server.on("error", (cause) => {
      const message = `a socket can't be made at ${path}: ${cause.message}; the worker needs to write there`;
      reject(new GatewayError(message, { code: "unsupported", cause }));
    });
    server.listen(path, resolve);
  });
  server.unref();
  return { id, path, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Where the claim of that id in that folder is. */
export function claimPath(folder: string, id: string): string {
  const wanted = join(folder, `.${id}.sock`);
  return Buffer.byteLength(wanted) < maxSocketBytes ? wanted : join(tmpdir(), `.${id}.sock`);
}

/** Whether the process that made the claim lives. What a dead one left is removed; who can't be asked is taken to live. */
export async function isClaimed(path: string): Promise<boolean> {
  const isGone = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED" || code === "ENOENT"));
  });
  if (isGone && (await lstat(path).catch(() => undefined))?.isSocket()) await rm(path, { force: true });
  return !isGone;
}
