import { setPriority } from "node:os";
import { startWorker } from "@talaria/app-worker";
import { takeDoor } from "../mcp/take-door.ts";
import { serve } from "../serve.ts";
import { isLeaseKept, leaseBySupervisor } from "../supervised-lease.ts";
import { version } from "../version.ts";
import { foldersOf } from "../workplace/folders-of.ts";

/** Workers may saturate every core; connections still come first. */
const niceness = 5;

/** `talaria worker`: one worker of a fleet, or one of those that `talaria start` runs. */
export function worker(options: Record<string, string | boolean | undefined>): Promise<void> {
  return serve("worker", options, async (context) => {
    setPriority(niceness);
    const { metrics, id, home, config } = context;
    const leaseKeeper = isLeaseKept() ? { leaseKeeper: leaseBySupervisor } : {};
    return startWorker({
      ...context,
      ...leaseKeeper,
      ...(await foldersOf(home, config.sandbox)),
      takeDoor: takeDoor(home),
      workerId: id,
      version,
      snapshot: () => metrics.exportSnapshot(),
    });
  });
}
