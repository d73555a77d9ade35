import type { Log, ProcessId, SessionKey } from "@talaria/protocol";
import { type BulkJobOptions, Queue, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { z } from "zod";
import type { Connections, SendWakes, Wake } from "../connections.ts";
import type { ClientOptions } from "./client.ts";
import { queueOptions, wakeQueueName, workerOptions } from "./wake-options.ts";

const prefix = "talaria";
const jobName = "wake";
/** How long repeated wake-ups of one sweep stay a single one. */
const sweepMs = 2_000;
const keptNowhere = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;
/** Checked where it is read: the writer may be of another version. */
const dataSchema = z.object({ key: z.string().min(1) as unknown as z.ZodType<SessionKey> });

export interface WakeJobsDeps {
  readonly commands: Redis;
  /** Opens one more connection, which the caller ends. */
  readonly open: (options: ClientOptions) => Redis;
  readonly processId: ProcessId;
  readonly log: Log;
  readonly report: (error: unknown) => void;
}

export interface WakeJobs extends Pick<Connections, "createWorker"> {
  readonly send: SendWakes;
  ready(): Promise<unknown>;
  close(): Promise<void>;
}

/** Wake-ups as BullMQ's jobs: one for each session, and one more that is kept while it runs. */
export function openWakeJobs({ commands, open, processId, log, report }: WakeJobsDeps): WakeJobs {
  const queue = new Queue(wakeQueueName, { connection: commands, prefix, ...queueOptions });
  queue.on("error", report);
  return {
    send: (wakes) => queue.addBulk(wakes.map((wake) => ({ name: jobName, data: { key: wake.key }, opts: opts(wake) }))),
    createWorker(run, concurrency) {
      const connection = open({ maxRetriesPerRequest: null });
      // BullMQ blocks on a copy of the connection. A copy that is not ours could not be cut by `destroy`.
      const copy = (override: ClientOptions) => open({ maxRetriesPerRequest: null, ...override });
      Object.assign(connection, { duplicate: copy });
      const process = async ({ data }: { readonly data: unknown }) => {
        const read = dataSchema.safeParse(data);
        if (read.success) await run(read.data.key);
        else log.warn({}, "wake-up without a session key was skipped");
      };
      const options = { connection, prefix, name: processId, concurrency, ...workerOptions };
      const worker = new Worker(wakeQueueName, process, options);
      worker.on("error", report);
      return worker;
    },
    ready: () => queue.waitUntilReady(),
    close: () => queue.close(),
  };
}

function opts({ key, fence }: Wake): BulkJobOptions {
  const deduplication =
    fence === undefined ? { id: key, keepLastIfActive: true } : { id: `sw_${key}_${fence}`, ttl: sweepMs };
  return { ...keptNowhere, deduplication };
}
