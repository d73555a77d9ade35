import { GatewayError } from "@talaria/protocol";
import type { Database } from "./database.ts";

/** Checks within this time share one write. */
const sharedMs = 500;
/** After a disk-full error the database counts as full for this long, even if a small write succeeds. */
const fullMs = 10_000;

export interface Readiness {
  /** Resolves when the database accepts writes; otherwise rejects with `unavailable` and the reason. */
  check(): Promise<void>;
}

/**
 * Checks whether the database accepts writes by writing one row. A read-only server loses no message, but cannot answer
 * any either.
 */
export function createReadiness(database: Database, elapsed: () => number): Readiness {
  let running: Promise<void> | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    await database.query({
      text: `insert into total values ('readiness', 1)
             on conflict (name) do update set value = total.value % 1000000 + 1`,
    });
    wroteAt = elapsed();
  }

  return {
    async check() {
      const fullSince = database.lastDiskFull();
      if (fullSince !== undefined && elapsed() - fullSince < fullMs)
        throw new GatewayError("the disk of the database is full", { code: "unavailable", effect: "none" });
      if (elapsed() - wroteAt < sharedMs) return;
      running ??= write().finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}
