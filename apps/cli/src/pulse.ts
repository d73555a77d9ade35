import type { LeaseRequest } from "./start/messages.ts";

/** Well within the shortest time after which a silent process counts as stuck, which is 15 s. */
const longestPauseMs = 2_500;

let stats: Readonly<Record<string, unknown>> = {};
let timer: NodeJS.Timeout | undefined;

/**
 * From now on, shows the supervisor of this process that its main thread moves, `everyMs` apart or sooner; called again, with the
 * new pause. Without a supervisor it does nothing. Ends with the supervisor.
 */
export function showPulse(everyMs = longestPauseMs): void {
  if (process.send === undefined) return;
  clearInterval(timer);
  timer = setInterval(beat, Math.min(everyMs, longestPauseMs));
  process.off("disconnect", endPulse);
  process.once("disconnect", endPulse);
  beat();
}

/** What the supervisor may see of this process, from now on and with each pulse. */
export function reportStats(next: Readonly<Record<string, unknown>>): void {
  stats = next;
  beat();
}

function endPulse(): void {
  clearInterval(timer);
}

function beat(): void {
  const pulse: LeaseRequest = { type: "pulse", stats };
  if (process.connected) process.send?.(pulse, () => undefined);
}
