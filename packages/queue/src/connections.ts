import type { Clock, Log, ProcessId, SessionKey } from "@talaria/protocol";
import type { Rests } from "./ports.ts";
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

/** One wake-up on its way to the backend. `fence` is the sweeper's: see `WakeQueue.rewake`. */
export interface Wake {
  readonly key: SessionKey;
  readonly fence?: number;
}

/** Takes wake-ups in one round trip. */
export type SendWakes = (wakes: readonly Wake[]) => Promise<unknown>;

/** Fetches wake-ups and runs them. */
export interface WakeWorker {
  /** Resolves when it is closed. */
  run(): Promise<void>;
  /** Fetches no more; resolves when what was fetched has run. */
  close(): Promise<void>;
}

/** All connections of one process to one backend. */
export interface Connections {
  readonly sendWakes: SendWakes;
  /** A worker that does not run yet. It never sees `run` reject. */
  createWorker(run: (sessionKey: SessionKey) => Promise<void>, concurrency: number): WakeWorker;
  readonly transport: SignalTransport;
  readonly rests?: Rests;
  ping(): Promise<void>;
  /** Ends the connections in good order. May hang with the server; then `destroy` cuts them. */
  close(): Promise<void>;
  destroy(): void;
}
