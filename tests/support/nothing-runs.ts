import type { Installation } from "./installation.ts";
import { waitFor } from "./wait-for.ts";

/** Waits until no words wait and no turn runs. Some platforms show the whole of an answer before its turn has ended. */
export async function nothingRuns(talaria: Pick<Installation, "talaria">): Promise<void> {
  await waitFor(async () => {
    const { backlog } = JSON.parse(await talaria.talaria("status", "--json"));
    return backlog.waitingEvents === 0 && backlog.runningTurns === 0;
  }, "nothing waits or runs");
}
