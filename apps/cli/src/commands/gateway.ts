import { keepLease } from "@talaria/store";
import { serve } from "../serve.ts";
import { ownSocketPath } from "../start/home-lock.ts";
import { isLeaseKept, leaseBySupervisor } from "../supervised-lease.ts";
import { loadOrCreateToken } from "../token-file.ts";
import { version } from "../version.ts";
import { supervisorNews } from "./supervisor-news.ts";

/** `talaria gateway`: one gateway of a fleet, or the one that `talaria start` runs. Its code loads while it waits. */
export function gateway(options: Record<string, string | boolean | undefined>): Promise<void> {
  const code = import("@talaria/app-gateway");
  return serve("gateway", options, async (context) => {
    const { config, home, id, log } = context;
    const token = config.auth.token?.reveal() ?? (await loadOrCreateToken(home.tokenFile));
    for (const { kind, name, reason } of config.disabled)
      log.error({ kind, name, reason }, "left out of the configuration");
    const { startGateway } = await code;
    const keep = isLeaseKept() ? leaseBySupervisor : keepLease;
    return startGateway({
      ...context,
      leaseKeeper: async (...terms: Parameters<typeof keepLease>) => {
        const keeper = await keep(...terms);
        keeper.report({ release: version });
        return keeper;
      },
      gatewayId: id,
      token,
      supervisorNews: () => supervisorNews(home),
      doorPath: () => ownSocketPath(home.doorDir),
    });
  });
}
