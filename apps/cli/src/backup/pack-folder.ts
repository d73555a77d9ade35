import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Header, type HeaderData, Pax } from "tar";

const blockBytes = 512;
const readBytes = 65_536;
/** The end of an archive is two blocks of nothing. */
const end = Buffer.alloc(2 * blockBytes);
/** What is read of a file that was exchanged for something else after it was looked at. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Yields a tar archive of these paths in a folder and of what is below them, in their order, while files may come, go and change: one
 * that has gone is left out, and one that shrinks or grows while it is read has the length that it had when it was opened, filled up
 * with zeros or cut. What is neither file, folder nor symbolic link is left out. Throws when something is there and can't be read.
 */
export async function* packFolder(cwd: string, paths: readonly string[] = ["."]): AsyncGenerator<Buffer> {
  const links = new Map<string, string>();
  const waiting = [...paths].reverse();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = await unlessGone(lstat(join(cwd, path)));
    if (found === undefined) continue;
    if (found.isDirectory()) {
      yield* head(found, { path: `${path}/`, type: "Directory" });
      const names = (await unlessGone(readdir(join(cwd, path)))) ?? [];
      waiting.push(
        ...names
          .sort()
          .reverse()
          .map((name) => `${path}/${name}`),
      );
    } else if (found.isSymbolicLink()) {
      const linkpath = await unlessGone(readlink(join(cwd, path)));
      if (linkpath !== undefined) yield* head(found, { path, type: "SymbolicLink", linkpath });
    } else if (found.isFile()) {
      yield* packFile(cwd, path, found, links);
    }
  }
  yield end;
}

/** `links`: the first path of each file that has several. */
async function* packFile(cwd: string, path: string, looked: Stats, links: Map<string, string>): AsyncGenerator<Buffer> {
  const key = `${looked.dev}:${looked.ino}`;
  const first = looked.nlink > 1 ? links.get(key) : undefined;
  if (first !== undefined) return yield* head(looked, { path, type: "Link", linkpath: first });
  const handle = await unlessGone(open(join(cwd, path), openFlags));
  if (handle === undefined) return;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.dev !== looked.dev || found.ino !== looked.ino) return;
    yield* head(found, { path, type: "File", size: found.size });
    yield* contentOf(handle, found.size);
    if (found.nlink > 1) links.set(key, path);
  } finally {
    await handle.close();
  }
}

/** Exactly so many bytes, and what fills the last block. */
async function* contentOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const part = Buffer.alloc(Math.min(readBytes, size - at));
    const { bytesRead } = await handle.read(part, 0, part.length, at);
    yield bytesRead === 0 ? part : part.subarray(0, bytesRead);
    at += bytesRead === 0 ? part.length : bytesRead;
  }
  const rest = size % blockBytes;
  if (rest > 0) yield Buffer.alloc(blockBytes - rest);
}

function* head({ mode, mtime, uid, gid }: Stats, entry: HeaderData): Generator<Buffer> {
  const data = { size: 0, ...entry, mode: mode & 0o7777, mtime, uid, gid };
  const header = new Header(data);
  if (header.encode()) yield new Pax(data).encode();
  if (header.block !== undefined) yield header.block;
}

/** A folder that has become a file, or a file that has become a link, is gone as what it was. */
async function unlessGone<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return await found.catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "ENXIO"].includes(error.code ?? "")) return undefined;
    throw error;
  });
}
