import { parentPort, workerData } from "node:worker_threads";
import { beatMsOf, holdLease, type LeaseTerms } from "./held-lease.ts";

/** What the main thread hands over. `pulse` is a counter that it raises; when it stands still, the process is stuck. */
export interface LeaseThreadData extends LeaseTerms {
  readonly pulse: Int32Array;
}

export type ToThread =
  | { readonly type: "stats"; readonly stats: Readonly<Record<string, unknown>> }
  | { readonly type: "retire" };
export type FromThread =
  | { readonly type: "registered" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "lapsed" };

const { pulse, ...terms } = workerData as LeaseThreadData;
let lastPulse = -1;
let stillBeats = 0;

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

/**
 * When the main thread is stuck, nothing else in this process can end it. Beats are counted, so that a process which was
 * paused as a whole gets the same time again.
 */
function watchPulse(): void {
  const now = Atomics.load(pulse, 0);
  stillBeats = now === lastPulse ? stillBeats + 1 : 0;
  lastPulse = now;
  if (stillBeats * beatMsOf(terms) >= terms.stuckAfterMs) process.kill(process.pid, "SIGKILL");
}

try {
  const lease = await holdLease(terms, { beat: watchPulse, lapsed: () => say({ type: "lapsed" }) });
  parentPort?.on("message", (message: ToThread) => {
    if (message.type === "stats") lease.report(JSON.stringify(message.stats));
    else void lease.retire().then(() => parentPort?.close());
  });
  say({ type: "registered" });
} catch (error) {
  say({ type: "failed", message: error instanceof Error ? error.message : String(error) });
}
