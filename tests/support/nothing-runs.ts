import type { Installation } from "./installation.ts";
import { waitFor } from "./wait-for.ts";

/**
 * Waits until no words wait, no turn runs, and nothing is to be sent. Some platforms show the whole of an answer before its turn has
 * ended, and the id of what a platform was sent is stored after it shows that.
 */
export async function nothingRuns(talaria: Pick<Installation, "talaria">): Promise<void> {
  await waitFor(async () => {
    const { backlog } = JSON.parse(await talaria.talaria("status", "--json"));
    return backlog.waitingEvents === 0 && backlog.runningTurns === 0 && backlog.pendingDeliveries === 0;
  }, "nothing waits, runs, or is to be sent");
}
