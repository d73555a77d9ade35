import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Below the ports that systems give to outgoing connections, which could take one before its listener starts. */
const range = { from: 10_240, to: 32_768 };

/** A port of 127.0.0.1 that nobody listens on, and that no other test of this run is given. */
export async function freePort(): Promise<number> {
  const taken = join(tmpdir(), "talaria-test-ports");
  await mkdir(taken, { recursive: true });
  for (;;) {
    const port = randomInt(range.from, range.to);
    if ((await isFirst(join(taken, String(port)))) && (await isFree(port))) return port;
  }
}

async function isFirst(folder: string): Promise<boolean> {
  return mkdir(folder).then(
    () => true,
    () => false,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
