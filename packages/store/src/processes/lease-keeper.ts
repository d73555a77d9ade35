import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { GatewayError, type Log } from "@talaria/protocol";
import type { LeaseTerms } from "./held-lease.ts";
import type { FromThread, LeaseThreadData, ToThread } from "./lease-thread.ts";

/** How often the main thread shows that it moves, in the time after which it counts as stuck. */
const beatsInTime = 8;

export interface LeaseKeeper {
  /** What other processes may see of this one; sent with the next renewal. */
  report(stats: Readonly<Record<string, unknown>>): void;
  /** Gives up the lease: every session of this process is free for others. */
  retire(): Promise<void>;
}

/**
 * Keeps this process's lease alive from a thread of its own, so that a busy main thread can't starve it. The thread ends
 * the process when the main thread has been stuck for `stuckAfterMs`. A thread that fails ends the process too: without a
 * lease it would take wake-ups and run nothing.
 */
export async function keepLease(terms: LeaseTerms, log: Log): Promise<LeaseKeeper> {
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL("./lease-thread.ts", import.meta.url), {
    workerData: { ...terms, pulse } satisfies LeaseThreadData,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 },
  });
  const beat = setInterval(() => Atomics.add(pulse, 0, 1), terms.stuckAfterMs / beatsInTime);
  const [first] = (await once(thread, "message")) as [FromThread];
  if (first.type === "failed") {
    clearInterval(beat);
    await thread.terminate();
    throw new GatewayError(`the process could not be registered: ${first.message}`, { code: "unavailable" });
  }
  thread.on("message", (message: FromThread) => {
    if (message.type === "lapsed") log.warn({}, "the lease of this process had lapsed and was taken again");
  });
  thread.on("error", (error) => {
    log.error({ error }, "the lease thread failed");
    throw error;
  });
  return {
    report: (stats) => thread.postMessage({ type: "stats", stats } satisfies ToThread),
    retire: async () => {
      clearInterval(beat);
      thread.postMessage({ type: "retire" } satisfies ToThread);
      await once(thread, "exit");
    },
  };
}
