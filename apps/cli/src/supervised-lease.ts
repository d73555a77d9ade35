import { GatewayError, type Log } from "@talaria/protocol";
import { keepLease, type LeaseKeeper, type LeaseTerms } from "@talaria/store";
import { reportStats, showPulse } from "./pulse.ts";
import type { LeaseAnswer, LeaseRequest, ToChild } from "./start/messages.ts";

/** How often a main thread shows that it moves, within the time after which it counts as stuck. */
const pulses = 6;

/** Whether the process was started by a supervisor that keeps leases. */
export function isLeaseKept(): boolean {
  return process.send !== undefined && process.env.TALARIA_LEASE_KEEPER === "supervisor";
}

/**
 * The lease of this process, kept by its supervisor, which runs no agent code. When the supervisor is gone, a thread of
 * our own keeps it for as long as what runs here takes to end.
 */
export async function leaseBySupervisor(terms: LeaseTerms, log: Log): Promise<LeaseKeeper> {
  let thread: Promise<LeaseKeeper | undefined> | undefined;
  const answered = Promise.withResolvers<LeaseAnswer>();
  const retired = Promise.withResolvers<void>();
  const receive = (message: ToChild) => {
    if (message.type === "leased" || message.type === "refused") answered.resolve(message);
    else if (message.type === "retired") retired.resolve();
    else if (message.type === "lapsed") log.warn({}, "the lease of this process had lapsed and was taken again");
  };
  const takeOver = () => {
    answered.resolve({ type: "refused", message: "the supervisor has ended" });
    thread = keepLease(terms, log).catch((error: unknown) => {
      log.error({ error }, "the lease of a process without supervisor is not kept");
      return undefined;
    });
    retired.resolve();
  };
  process.on("message", receive);
  process.once("disconnect", takeOver);
  const end = () => {
    process.off("message", receive);
    process.off("disconnect", takeOver);
  };

  showPulse(terms.stuckAfterMs / pulses);
  send({ type: "lease", terms });
  const answer = await answered.promise;
  if (answer.type === "refused") {
    end();
    await (await thread)?.retire();
    const cause = Object.assign(new Error(answer.message), { code: answer.sqlState });
    throw new GatewayError(`the process could not be registered: ${answer.message}`, { code: "unavailable", cause });
  }
  return {
    report: (next) => {
      reportStats(next);
      void thread?.then((keeper) => keeper?.report(next));
    },
    retire: async () => {
      send({ type: "retire" });
      await retired.promise;
      end();
      await (await thread)?.retire();
    },
  };
}

/** The event `disconnect` reports a channel that has just closed. */
function send(message: LeaseRequest): void {
  if (process.connected) process.send?.(message, () => undefined);
}
