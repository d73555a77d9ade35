import type { QueueOptions, WorkerOptions } from "bullmq";

export const wakeQueueName = "wake";

/** Nobody reads the queue's events; with 0 the PostgreSQL backend would never trim them. */
const keptEvents = 100;

export const queueOptions = {
  streams: { events: { maxLen: keptEvents } },
} satisfies Partial<QueueOptions>;

/**
 * A worker that dies leaves its job behind until two stalled checks have seen it; until then the sweeper's wake-ups
 * carry the session on. A job may stall often, since failing it for good would help nobody.
 */
export const workerOptions = {
  autorun: false,
  lockDuration: 30_000,
  stalledInterval: 15_000,
  maxStalledCount: 1_000,
  /** Seconds after which an idle worker looks by itself, in case a notification was lost. */
  drainDelay: 5,
  runRetryDelay: 1_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
} satisfies Partial<WorkerOptions>;
