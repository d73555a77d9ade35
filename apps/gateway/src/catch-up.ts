import type { Clock, Log } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 30_000;
/** What was said waits so long for what is said next: a message and its answer are mostly read together. */
const gatherMs = 3_000;
/** After each time it rests so many times as long as that took. Lines of the newest minute are looked at each time, and there may be many. */
const restShare = 20;

export interface CatchUp extends Repeated {
  /** Something was said, or may have been: it is found within some seconds. Costs nothing to call. */
  said(): void;
}

export interface CatchUpDeps {
  readonly store: Pick<Store, "chats" | "search">;
  readonly clock: Pick<Clock, "elapsed">;
  readonly log: Log;
}

/** Keeps lists and searches near what was said, so that whoever opens one waits for little. Any number of gateways may do so at once. */
export function startCatchUp({ store: { chats, search }, clock, log }: CatchUpDeps): CatchUp {
  const failed = (error: unknown) => log.warn({ error }, "lists of conversations are not up to date");
  let timer: NodeJS.Timeout | undefined;
  let state: "resting" | "reading" | "stopped" = "resting";
  let isUnread = false;
  let restUntil = 0;
  const schedule = () => {
    if (!isUnread || timer !== undefined || state !== "resting") return;
    timer = setTimeout(repeated.now, Math.max(gatherMs, restUntil - clock.elapsed()));
  };
  const unschedule = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const catchUp = async (signal: AbortSignal) => {
    unschedule();
    const began = clock.elapsed();
    state = "reading";
    isUnread = false;
    try {
      await chats.catchUp(signal);
      await search.catchUp(signal);
    } finally {
      const ended = clock.elapsed();
      restUntil = ended + restShare * (ended - began);
      if (!signal.aborted) state = "resting";
      schedule();
    }
  };
  const repeated = repeat(catchUp, { everyMs, failed });
  return {
    ...repeated,
    said() {
      isUnread = true;
      schedule();
    },
    stop() {
      state = "stopped";
      unschedule();
      return repeated.stop();
    },
  };
}
