import { brandAs, type ProcessId, silentLog } from "@talaria/protocol";
import { keepLease } from "@talaria/store";

/** Takes a lease, says so, and then computes for `busyMs` without ever yielding, as agent code may. */
const [url = "", id = "", ttlMs, stuckAfterMs, busyMs] = process.argv.slice(2);

const owner = { id: brandAs<ProcessId>(id), kind: "worker", host: "here", pid: process.pid } as const;
const lease = await keepLease(
  { url, process: owner, ttlMs: Number(ttlMs), stuckAfterMs: Number(stuckAfterMs) },
  silentLog,
);
process.send?.("busy");
await new Promise((resolve) => setTimeout(resolve, 50));
const until = performance.now() + Number(busyMs);
while (performance.now() < until);
process.send?.("done");
await lease.retire();
process.disconnect();
