import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, instantOf, type ProcessId, systemClock } from "@talaria/protocol";
import type { ProcessRow } from "@talaria/store";
import { createMetrics } from "@talaria/telemetry";
import { metricsText } from "./metrics-text.ts";

const well = async () => undefined;
const away = async () => {
  throw new Error("the disk of the database is full");
};
const backlog = {
  waitingEvents: 0,
  behindTurns: 0,
  deferredEvents: 0,
  runningTurns: 0,
  suspendedTurns: 0,
  pendingDeliveries: 0,
  failedDeliveries: 0,
  oldestWaitingMs: 0,
  oldestDeliveryMs: 0,
  setAsideSessions: 0,
  possibleDuplicates: 0,
};

it("an installation answers unless a problem keeps it from that, and a database that takes nothing is seen without it", async (context) => {
  const metrics = createMetrics({ process: "gateway" });
  const worker = createMetrics({ process: "worker" });
  context.after(() => [metrics, worker].map((one) => one.close()));
  const at = instantOf(Date.now());
  const row = (kind: "gateway" | "worker", stats: ProcessRow["stats"] = {}): ProcessRow => ({
    ...{ id: brandAs<ProcessId>(kind), kind, host: "here", pid: 1, startedAt: at, leaseEndsAt: at, stats },
  });
  const living = [row("gateway"), row("worker", { metrics: await worker.exportSnapshot() })];
  const facts = async () => ({ accounts: [], living, models: [], places: { shut: [], opened: [] }, now: Date.now() });
  const figures = { operations: { backlog: async () => backlog }, facts, probes: { database: well, queue: well } };
  const lines = async (changed: Partial<typeof figures> = {}) => {
    const text = await metricsText(metrics, { ...figures, ...changed }, systemClock);
    return text.split("\n").filter((line) => /^talaria_(answering|problems)\{/.test(line));
  };

  assert.deepEqual(await lines(), ['talaria_answering{process="gateway"} 1']);
  const full = [
    'talaria_problems{kind="database",process="gateway"} 1',
    'talaria_answering{process="gateway"} 0',
  ].sort();
  assert.deepEqual((await lines({ probes: { database: away, queue: well } })).sort(), full);
  const unreadable = { facts: away, probes: { database: away, queue: well } };
  assert.deepEqual((await lines(unreadable)).sort(), full);
  assert.deepEqual(await lines(), ['talaria_answering{process="gateway"} 1']);
});
