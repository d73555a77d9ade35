import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { serverProcesses } from "./process-info.ts";
import { isGone } from "./server.ts";
import type { EmbeddedPostgresOptions } from "./start.ts";

export const isRoot = process.getuid?.() === 0;

export interface TestFolder extends EmbeddedPostgresOptions {
  readonly root: string;
  /** Creates a folder on a small memory disk of its own. Only root may; false when the system refuses even root. */
  mount(folder: string, size: string): Promise<boolean>;
}

/** Options for a server of one test. Afterwards whatever still runs in the folder is killed, and everything removed. */
export async function testFolder(test: TestContext): Promise<TestFolder> {
  const root = await mkdtemp(join(tmpdir(), "talaria-postgres-"));
  await chmod(root, 0o755);
  const dataDir = join(root, "data");
  const mounts: string[] = [];
  test.after(async () => {
    for (const pid of await serverProcesses(join(dataDir, "cluster"))) {
      process.kill(pid, "SIGKILL");
      await isGone(pid, 2_000);
    }
    for (const folder of mounts) execFileSync("umount", ["-l", folder]);
    await rm(root, { recursive: true, force: true });
  });
  const mount = async (folder: string, size: string) => {
    await mkdir(folder);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "none", folder], { stdio: "ignore" });
    } catch {
      return false;
    }
    mounts.push(folder);
    return true;
  };
  return { root, dataDir, cacheDir: join(root, "cache"), log: () => undefined, mount };
}
