import { setPriority } from "node:os";
import { startWorker } from "@talaria/app-worker";
import { serve } from "../serve.ts";
import { isLeaseKept, leaseBySupervisor } from "../supervised-lease.ts";

/** Workers may saturate every core; connections still come first. */
const niceness = 5;

/** `talaria worker`: one worker of a fleet, or one of those that `talaria start` runs. */
export function worker(options: Record<string, string | boolean | undefined>): Promise<void> {
  return serve("worker", options, async (context) => {
    setPriority(niceness);
    const { metrics, id } = context;
    const leaseKeeper = isLeaseKept() ? { leaseKeeper: leaseBySupervisor } : {};
    return startWorker({ ...context, ...leaseKeeper, workerId: id, snapshot: () => metrics.exportSnapshot() });
  });
}
