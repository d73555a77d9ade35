import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";
import { connectionConfig } from "../database/connection-config.ts";
import { type ProcessLease, registerQuery, renewQuery, retireQuery } from "./process-queries.ts";

// Runs in a thread of its own and stays in memory all day: it loads nothing but the driver.

/** What the main thread hands over. `pulse` is a counter that it raises; when it stands still, the process is stuck. */
export interface LeaseThreadData {
  readonly url: string;
  readonly process: ProcessLease;
  readonly ttlMs: number;
  readonly stuckAfterMs: number;
  readonly pulse: Int32Array;
}

export type ToThread =
  | { readonly type: "stats"; readonly stats: Readonly<Record<string, unknown>> }
  | { readonly type: "retire" };
export type FromThread =
  | { readonly type: "registered" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "lapsed" };

const { url, process: owner, ttlMs, stuckAfterMs, pulse } = workerData as LeaseThreadData;
const pool = new pg.Pool({ ...connectionConfig(url), max: 1 });
/** What was reported last, and what of it the database does not have yet. */
let reported: string | null = null;
let unwritten: string | null = null;
const beatMs = Math.floor(ttlMs / 3);
let lastPulse = -1;
let stillBeats = 0;

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

/**
 * The main thread runs agent code. When it has not moved for long, nothing else can end this process. Beats are counted, so
 * that a process which was paused as a whole has the same time again.
 */
function watchPulse(): void {
  const now = Atomics.load(pulse, 0);
  stillBeats = now === lastPulse ? stillBeats + 1 : 0;
  lastPulse = now;
  if (stillBeats * beatMs > stuckAfterMs) process.kill(process.pid, "SIGKILL");
}

async function beat(): Promise<void> {
  watchPulse();
  try {
    const stats = unwritten;
    const renewed = await pool.query(renewQuery(owner.id, ttlMs, stats));
    if (renewed.rows.length > 0) {
      if (unwritten === stats) unwritten = null;
      return;
    }
    await pool.query(registerQuery(owner, ttlMs));
    unwritten = reported;
    say({ type: "lapsed" });
  } catch {
    // The database is away. Every write of this process fails too; the next beat tries again.
  }
}

async function retire(): Promise<void> {
  clearInterval(timer);
  await pool.query(retireQuery(owner.id)).catch(() => undefined);
  await pool.end();
  parentPort?.close();
}

pool.on("error", () => undefined);
pool.on("connect", (client) => {
  client.on("error", () => undefined);
});
parentPort?.on("message", (message: ToThread) => {
  if (message.type === "stats") unwritten = reported = JSON.stringify(message.stats);
  else void retire();
});
const timer = setInterval(beat, beatMs);
try {
  await pool.query(registerQuery(owner, ttlMs));
  say({ type: "registered" });
} catch (error) {
  say({ type: "failed", message: error instanceof Error ? error.message : String(error) });
}
