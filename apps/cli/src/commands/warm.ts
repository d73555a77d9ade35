import { flushCompileCache } from "node:module";
import { loadPlatforms, platformNames } from "@talaria/platforms";
import { brandAs, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import { createQueue } from "@talaria/queue";

/** Nobody listens on it. */
const nowhere = "postgres://127.0.0.1:1/none";

/**
 * `talaria warm`, after an installation: loads what a gateway, a worker and their supervisor will load, so that the first
 * start finds compiled code. Otherwise each process of that start keeps the type stripper, some 23 MB, in memory.
 */
export async function warm(): Promise<void> {
  await Promise.all([
    import("../start/start.ts"),
    import("../start/prepare.ts"),
    import("@talaria/store/lease"),
    import("./gateway.ts"),
    import("./worker.ts"),
    loadAdapters(),
  ]);
  const deps = { log: silentLog, clock: systemClock, random: Math.random, processId: brandAs<ProcessId>("warm") };
  await createQueue({ backend: { kind: "postgres", url: nowhere }, role: "tool", ...deps }).catch(() => undefined);
  flushCompileCache();
  process.exit(0);
}

async function loadAdapters(): Promise<void> {
  const modules = await loadPlatforms(platformNames);
  await Promise.all([...modules.values()].map((module) => module.load()));
}
