import type { Backlog } from "@talaria/store";
import type { Installation } from "../../support/installation.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Resolves when nothing is left to do. The database may still be on its way back. */
export async function quiet(talaria: Installation): Promise<Backlog> {
  return waitFor(async () => {
    const status = await talaria.talaria("status", "--json").catch(() => undefined);
    if (status === undefined) return undefined;
    const { backlog } = JSON.parse(status) as { backlog: Backlog };
    return backlog.waitingEvents + backlog.runningTurns + backlog.pendingDeliveries === 0 ? backlog : undefined;
  }, "everything to be answered and delivered");
}
