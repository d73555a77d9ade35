import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Installation } from "../../support/installation.ts";
import { killIfAlive } from "./kill-if-alive.ts";

/** Kills the first process of an installation's embedded server; the others end with it. False when none runs. */
export async function killPostmaster({ home }: Installation): Promise<boolean> {
  const file = await readFile(join(home, "postgres", "cluster", "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(file.split("\n", 1)[0]);
  return pid > 0 && killIfAlive(pid);
}
