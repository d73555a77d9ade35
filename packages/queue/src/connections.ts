import type { Clock, Log, ProcessId } from "@talaria/protocol";
import type { BulkJobOptions } from "bullmq";
import type { SignalTransport } from "./signal-transport.ts";

export type QueueRole = "gateway" | "worker" | "tool";

export interface QueueDeps {
  readonly processId: ProcessId;
  readonly role: QueueRole;
  readonly log: Log;
  readonly clock: Clock;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
}

/** What a wake job carries. Checked where it is read: the writer may be of another version. */
export interface WakeData {
  readonly key: string;
}

export interface NewWakeJob {
  readonly name: string;
  readonly data: WakeData;
  readonly opts: BulkJobOptions;
}

/** What the producer needs of a BullMQ Queue. */
export interface WakeJobs {
  addBulk(jobs: NewWakeJob[]): Promise<unknown>;
}

export interface WakeJob {
  readonly data: unknown;
}

/** What the consumer needs of a BullMQ Worker. */
export interface WakeWorker {
  run(): Promise<void>;
  close(): Promise<void>;
}

/** All connections of one process to one backend. */
export interface Connections {
  readonly wakes: WakeJobs;
  /** A Worker that does not run yet. It never sees `process` reject. */
  createWorker(process: (job: WakeJob) => Promise<void>, concurrency: number): WakeWorker;
  readonly transport: SignalTransport;
  ping(): Promise<void>;
  /** Ends the connections in good order. May hang with the server; then `destroy` cuts them. */
  close(): Promise<void>;
  destroy(): void;
}
