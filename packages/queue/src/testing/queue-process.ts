import { brandAs, type ProcessId, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { createQueue, type QueueBackend } from "../index.ts";

/**
 * A worker in a process of its own: `node queue-process.ts <kind> <url>`. Tells its parent `ready` and each session
 * key it runs; a run of a key that starts with `hang` never ends.
 */
const [kind, url = ""] = process.argv.slice(2);
const backend: QueueBackend = kind === "redis" ? { kind, url } : { kind: "postgres", url };
const queue = await createQueue({
  backend,
  role: "worker",
  processId: brandAs<ProcessId>(`child-${process.pid}`),
  log: silentLog,
  clock: systemClock,
  random: Math.random,
});
queue.wakes.consume(async (sessionKey: SessionKey) => {
  process.send?.(sessionKey);
  if (sessionKey.startsWith("hang")) await new Promise(() => undefined);
}, 20);
process.send?.("ready");
process.on("disconnect", () => process.exit());
