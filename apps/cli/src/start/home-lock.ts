import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstat, mkdir, rm, stat } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** How long a holder that was killed may take to end. One that hangs up no earlier is stopped, and holds the folder. */
const stoppedMs = 3_000;
/** The longest path that a Unix socket may have on every system. */
const maxSocketPath = 100;

/**
 * Makes this process the only one that serves `dir`, until it ends in whatever way. A listening socket is the lock: the
 * system closes it with the process. `answer` is given whoever connects, and has to hang up soon. Throws a sentence that names the remedy when another process serves the folder.
 */
export async function lockHome(
  dir: string,
  answer: (socket: Socket) => void = (socket) => void socket.destroy(),
): Promise<Server> {
  const server = await holdFolder(dir, answer);
  if (server !== undefined) return server;
  throw new Error(`Talaria already runs on ${dir}: use it, stop it first, or choose another folder with --home`);
}

/** The same, and `serve` is given whoever connects to `ownSocketPath(dir)`. Undefined: another process holds the folder. */
export async function holdFolder(dir: string, serve: (socket: Socket) => void): Promise<Server | undefined> {
  const path = await ownSocketPath(dir);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const server = await listen(path, dir, serve);
    if (server !== undefined) return server;
    if (!(await removeDead(path, dir))) return undefined;
  }
  return undefined;
}

/**
 * Removes a socket that nobody listens at. False: somebody does, or another process is removing it just now. Without a guard, one
 * that has looked before could remove the socket of one that was quicker. The guard's name is in no folder (unix(7), abstract), so
 * that it ends with its process; it is the dead socket's own, which nobody else can know.
 */
async function removeDead(path: string, dir: string): Promise<boolean> {
  const found = process.platform === "linux" ? await stat(path).catch(() => undefined) : undefined;
  const name = createHash("sha256").update(`${path} ${found?.ino} ${found?.ctimeMs}`).digest("hex");
  const guard = found && (await listen(`\0talaria-${name}`, dir, (socket) => socket.destroy()));
  if (found !== undefined && guard === undefined) return false;
  try {
    if (await answers(path)) return false;
    await rm(path, { force: true });
    return true;
  } finally {
    guard?.close();
  }
}

/** Where the holder of a folder listens. A folder that others could have made is created, or proven to be ours. */
export async function ownSocketPath(dir: string): Promise<string> {
  const path = socketPath(dir);
  if (process.platform === "win32" || dirname(path) === dir) return path;
  const folder = dirname(path);
  await mkdir(folder, { mode: 0o700 }).catch(unlessThere);
  const { uid, mode } = await lstat(folder);
  if (uid === process.getuid?.() && (mode & 0o170077) === 0o040000) return path;
  throw new Error(`${folder} belongs to somebody else or is open to others: remove it, or choose a shorter --home`);
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** Whether a `talaria start` of this machine serves the folder now. */
export function isHomeServed(dir: string): Promise<boolean> {
  return answers(socketPath(dir));
}

/** Where that is, whether it may be used or not. */
export function socketPath(dir: string): string {
  const digest = createHash("sha256").update(dir).digest("hex").slice(0, 16);
  if (process.platform === "win32") return `\\\\.\\pipe\\talaria-${digest}`;
  const inHome = join(dir, "run.sock");
  if (Buffer.byteLength(inHome) <= maxSocketPath) return inHome;
  return join(tmpdir(), `talaria-${process.getuid?.() ?? 0}`, `${digest}.sock`);
}

async function listen(path: string, dir: string, serve: (socket: Socket) => void): Promise<Server | undefined> {
  const server = createServer(serve);
  server.listen(path);
  try {
    await once(server, "listening");
    return server.unref();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") return undefined;
    const remedy = "make it writable, or choose another one with --home or TALARIA_HOME";
    throw new Error(`cannot use the data folder ${dir} (${String(code)}): ${remedy}`, { cause: error });
  }
}

/**
 * Whether somebody who lives listens there: a holder hangs up on every caller. One that was killed and has not ended yet
 * does nothing until its end resets the call.
 */
async function answers(path: string): Promise<boolean> {
  const socket = connect(path).resume();
  try {
    await once(socket, "connect");
    const isHolderStopped = once(socket.setTimeout(stoppedMs), "timeout");
    await Promise.race([once(socket, "close"), isHolderStopped]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
