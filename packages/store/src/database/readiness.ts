import { GatewayError } from "@talaria/protocol";
import type { Database } from "./database.ts";

/** Probes that come more often than this share one. */
const sharedMs = 500;
/** A statement that found no room on the disk counts for so long, also when a small one finds some. */
const fullMs = 10_000;

export interface Readiness {
  /** Resolves when the database takes what is written. Rejects with `unavailable`, and says why. */
  check(): Promise<void>;
}

/**
 * Finds out whether the database can be written to, by writing one row. A server that only answers reads would lose
 * nobody a message, and answer nobody either.
 */
export function createReadiness(database: Database, now: () => number): Readiness {
  let running: Promise<void> | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    await database.query({
      text: `insert into total values ('readiness', 1)
             on conflict (name) do update set value = total.value % 1000000 + 1`,
    });
    wroteAt = now();
  }

  return {
    async check() {
      const fullSince = database.lastDiskFull();
      if (fullSince !== undefined && now() - fullSince < fullMs)
        throw new GatewayError("the disk of the database is full", { code: "unavailable", effect: "none" });
      if (now() - wroteAt < sharedMs) return;
      running ??= write().finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}
