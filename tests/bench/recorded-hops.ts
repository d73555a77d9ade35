import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Hop } from "./hops-recorder.ts";

export interface RecordedHops extends AsyncDisposable {
  /** For the gateway and the workers. */
  readonly env: Readonly<Record<string, string>>;
  /** In the order of time. Complete when they have stopped. */
  read(): Promise<readonly Hop[]>;
}

/** Makes the gateway and the workers of a world note what they do. */
export async function recordHops(): Promise<RecordedHops> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-hops-"));
  const recorder = pathToFileURL(join(import.meta.dirname, "hops-recorder.ts")).href;
  return {
    env: { NODE_OPTIONS: `--import=${recorder}`, NODE_BENCH_HOPS: folder },
    read: async () => {
      const files = await readdir(folder);
      const hops = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8"))));
      return hops.flat().sort((a: Hop, b: Hop) => a.at - b.at);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
