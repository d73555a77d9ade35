import type { Clock, SessionKey } from "@talaria/protocol";
import { reconnectPauseMs } from "../backoff.ts";
import type { WakeWorker } from "../connections.ts";
import type { WakeTable } from "./wake-table.ts";

/** How many are taken in one round trip; more would leave other workers idle. */
const maxTaken = 8;

export interface WakeWorkerDeps {
  readonly table: WakeTable;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * Takes wake-ups while it has room. It looks when notified, when it has room again, and after an outage: nothing is
 * polled. A wake-up is gone once it is taken. One that comes for a session that runs here makes it run once more; another
 * worker may take it too, and finds the session held.
 */
export function createWakeWorker(
  { table, clock, random, report }: WakeWorkerDeps,
  run: (sessionKey: SessionKey) => Promise<void>,
  concurrency: number,
): WakeWorker {
  const active = new Map<SessionKey, { calledAgain: boolean; ended: Promise<void> }>();
  const closing = new AbortController();
  const ended = Promise.withResolvers<void>();
  let taking: Promise<void> | undefined;
  let hasNews = false;

  function look(): void {
    hasNews = true;
    taking ??= takeAll().finally(() => {
      taking = undefined;
    });
  }

  async function takeAll(): Promise<void> {
    for (let failures = 0; hasNews && active.size < concurrency && !closing.signal.aborted; ) {
      hasNews = false;
      const room = Math.min(maxTaken, concurrency - active.size);
      try {
        const keys = await table.take(room);
        failures = 0;
        hasNews ||= keys.length === room;
        for (const key of keys) start(key);
      } catch (error) {
        report(error);
        hasNews = true;
        failures += 1;
        await clock.sleep(reconnectPauseMs(failures, random), closing.signal).catch(() => undefined);
      }
    }
  }

  function start(key: SessionKey): void {
    const running = active.get(key);
    if (running !== undefined) {
      running.calledAgain = true;
      return;
    }
    const mine = { calledAgain: true, ended: Promise.resolve() };
    active.set(key, mine);
    mine.ended = runAll(key, mine);
  }

  async function runAll(key: SessionKey, mine: { calledAgain: boolean }): Promise<void> {
    while (mine.calledAgain) {
      mine.calledAgain = false;
      await run(key);
    }
    active.delete(key);
    if (hasNews) look();
  }

  return {
    async run() {
      look();
      await table.watch(look);
      look();
      await ended.promise;
    },
    async close() {
      closing.abort();
      await table.unwatch();
      await taking;
      await Promise.all([...active.values()].map((one) => one.ended));
      ended.resolve();
    },
  };
}
