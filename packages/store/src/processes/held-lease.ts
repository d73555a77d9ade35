import pg from "pg";
import { connectionConfig } from "../database/connection-config.ts";
import { type ProcessLease, registerQuery, renewQuery, retireQuery } from "./process-queries.ts";

// Stays in memory all day where nothing else does: it loads nothing but the driver.

export type { ProcessLease };

export interface LeaseTerms {
  readonly url: string;
  readonly process: ProcessLease;
  /** The lease lasts so long after the last renewal; it is renewed three times as often. */
  readonly ttlMs: number;
  /** A main thread that has not moved for so long is stuck: its process is ended. */
  readonly stuckAfterMs: number;
  /** What others may see of the process from the start, as JSON, until it reports something else. */
  readonly stats?: string;
}

export interface LeaseWatch {
  /** Called before each renewal. */
  beat?(): void;
  /** The lease had run out and was taken anew. */
  lapsed(): void;
}

/** The lease of a process, renewed by whoever holds it, in that process or another one. */
export interface HeldLease {
  /** What others may see of the process, as JSON; sent with the next renewal. */
  report(stats: string): void;
  /** Gives the lease up: every session of the process is free for others. */
  retire(): Promise<void>;
}

/** Pause between two renewals. */
export function beatMsOf({ ttlMs }: Pick<LeaseTerms, "ttlMs">): number {
  return Math.floor(ttlMs / 3);
}

/** Takes the lease and keeps it until it is retired. Rejects when it cannot be taken now. */
export async function holdLease(terms: LeaseTerms, watch: LeaseWatch): Promise<HeldLease> {
  const { url, process, ttlMs, stats: first } = terms;
  const pool = new pg.Pool({ ...connectionConfig(url), max: 1, idleTimeoutMillis: 0 });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
  });
  /** What was reported last, and what of it the database does not have yet. */
  let reported: string | null = null;
  let unwritten: string | null = null;

  async function renew(): Promise<void> {
    watch.beat?.();
    try {
      const stats = unwritten;
      const renewed = await pool.query(renewQuery(process.id, ttlMs, stats));
      if (renewed.rows.length > 0 && unwritten === stats) unwritten = null;
      if (renewed.rows.length > 0 || isRetired) return;
      await pool.query(registerQuery(process, ttlMs));
      unwritten = reported;
      watch.lapsed();
    } catch {
      // The database is away. Every write of the process fails too; the next renewal tries again.
    }
  }

  let isRetired = false;
  const timer = setInterval(renew, beatMsOf(terms));
  try {
    await pool.query(registerQuery(process, ttlMs, first));
  } catch (error) {
    clearInterval(timer);
    await pool.end();
    throw error;
  }
  return {
    report: (stats) => {
      if (stats !== reported) unwritten = reported = stats;
    },
    retire: async () => {
      isRetired = true;
      clearInterval(timer);
      await pool.query(retireQuery(process.id, process.kind)).catch(() => undefined);
      await pool.end();
    },
  };
}
