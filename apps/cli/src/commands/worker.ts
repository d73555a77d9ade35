import { setPriority } from "node:os";
import { startWorker } from "@talaria/app-worker";
import { serve } from "../serve.ts";
import { isLeaseKept, leaseBySupervisor } from "../supervised-lease.ts";
import { version } from "../version.ts";

/** Workers may saturate every core; connections still come first. */
const niceness = 5;

/** `talaria worker`: one worker of a fleet, or one of those that `talaria start` runs. */
export function worker(options: Record<string, string | boolean | undefined>): Promise<void> {
  return serve("worker", options, async (context) => {
    setPriority(niceness);
    const { metrics, id, home } = context;
    const leaseKeeper = isLeaseKept() ? { leaseKeeper: leaseBySupervisor } : {};
    const folders = { workspaceFolder: home.workspaceDir, toolFolder: home.toolDir, hiddenFolders: [home.dir] };
    return startWorker({
      ...context,
      ...leaseKeeper,
      ...folders,
      workerId: id,
      version,
      snapshot: () => metrics.exportSnapshot(),
    });
  });
}
