import { hostname } from "node:os";
import type { Log, ProcessId } from "@talaria/protocol";
import type { ProcessStore } from "@talaria/store";

/**
 * Lists this gateway among the living processes, for `talaria status` and `talaria verify`. `end` also frees the accounts
 * that are still held in its name.
 */
export async function announcePresence(
  id: ProcessId,
  processes: Pick<ProcessStore, "register" | "renew" | "retire">,
  ttlMs: number,
  log: Log,
): Promise<{ end(): Promise<void> }> {
  const register = () => processes.register({ id, kind: "gateway", host: hostname(), pid: process.pid }, ttlMs);
  const renew = async () => {
    try {
      if (!(await processes.renew(id, ttlMs, {}))) await register();
    } catch (error) {
      log.debug({ error }, "this gateway could not be listed");
    }
  };
  await register();
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renew();
  }, ttlMs / 3);
  return {
    end: async () => {
      clearInterval(timer);
      await renewing;
      await processes.retire(id).catch((error: unknown) => log.debug({ error }, "this gateway is still listed"));
    },
  };
}
