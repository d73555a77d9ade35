import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Installation } from "../support/installation.ts";
import type { Figure } from "./main.ts";
import { quantile } from "./statistics.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const rounds = 5;

/** Time from the command to `Talaria is ready`, on a new folder and on an existing one; size of what is installed. */
export async function startup(): Promise<readonly Figure[]> {
  const first: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await using talaria = await Installation.start();
    first.push(performance.now() - began);
    await talaria.stop();
    const again = performance.now();
    await talaria.begin();
    later.push(performance.now() - again);
  }
  const seconds = (sample: readonly number[]) =>
    `median ${(quantile(sample, 0.5) / 1000).toFixed(2)} s, worst ${(quantile(sample, 1) / 1000).toFixed(2)} s`;
  return [
    { measure: "start to ready, data folder exists", reach: "2 s", value: seconds(later) },
    { measure: "start to ready, first ever (dependencies installed)", reach: "6 s", value: seconds(first) },
    { measure: "node_modules, production dependencies", reach: "below 450 MB", value: await productionSize() },
  ];
}

async function productionSize(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-size-"));
  const run = promisify(execFile);
  try {
    for (const name of ["package.json", "package-lock.json"]) await cp(join(root, name), join(folder, name));
    for (const name of ["packages", "apps"])
      await cp(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !path.includes("node_modules"),
      });
    await run("npm", ["ci", "--omit=dev", "--ignore-scripts"], { cwd: folder, maxBuffer: 2 ** 26 });
    const { stdout } = await run("du", ["-sm", "node_modules"], { cwd: folder });
    return `${Number.parseInt(stdout, 10)} MB`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
