import { brandAs, type ProcessId, silentLog } from "@talaria/protocol";
import { leaseBySupervisor } from "../../supervised-lease.ts";

/** Takes a lease, serves, and then computes for `busyMs` without ever yielding, as agent code may. */
const [url = "", id = "", ttlMs, stuckAfterMs, busyMs, drainMs] = process.argv.slice(2);

const owner = { id: brandAs<ProcessId>(id), kind: "worker", host: "here", pid: process.pid } as const;
const terms = { url, process: owner, ttlMs: Number(ttlMs), stuckAfterMs: Number(stuckAfterMs) };
const lease = await leaseBySupervisor(terms, silentLog);
const { promise: ended, resolve: end } = Promise.withResolvers<void>();
process.on("disconnect", () => end());
process.on("message", ({ type }: { type: string }) => {
  if (type === "stop") end();
});
process.send?.({ type: "ready" });
await new Promise((resolve) => setTimeout(resolve, 50));
const until = performance.now() + Number(busyMs);
while (performance.now() < until);
await ended;
await new Promise((resolve) => setTimeout(resolve, Number(drainMs)));
await lease.retire();
process.exit(0);
