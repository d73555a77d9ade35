import { randomBytes } from "node:crypto";
import { link, open, rm, writeFile } from "node:fs/promises";
import { GatewayError } from "@talaria/protocol";

const keyBytes = 32;

/**
 * Reads the home's 32-byte key, or makes one at first. Several starters get the same key. Throws `unauthorized` when
 * others than the owner may read the file, `invalid_request` when it does not hold a key.
 */
export async function loadOrCreateKey(file: string): Promise<Uint8Array> {
  return (await readKey(file)) ?? (await createKey(file));
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  const opened = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new GatewayError(`the key file ${file} cannot be read`, { code: "unauthorized", cause: error });
  });
  if (opened === undefined) return undefined;
  try {
    const { mode } = await opened.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new GatewayError(`others may read the key file ${file}: run chmod 600 on it`, { code: "unauthorized" });
    }
    const key = await opened.readFile();
    if (key.length === keyBytes) return key;
    throw new GatewayError(`the key file ${file} does not hold ${keyBytes} bytes`, { code: "invalid_request" });
  } finally {
    await opened.close();
  }
}

/** Written whole beside its place and linked there, so nobody ever reads half a key or replaces one. */
async function createKey(file: string): Promise<Uint8Array> {
  const unfinished = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(unfinished, randomBytes(keyBytes), { mode: 0o600, flag: "wx", flush: true });
  try {
    await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(unfinished, { force: true });
  }
  return (await readKey(file)) ?? (await createKey(file));
}
