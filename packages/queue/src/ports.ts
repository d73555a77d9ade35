import type { AccountId, ConversationId, ProcessId, SessionKey, StreamFrame } from "@talaria/protocol";

/** Tells a worker that a session has waiting events. Carries no event: the inbox is the truth. */
export interface WakeQueue {
  /** One job runs per session and one more is kept when something arrives meanwhile. Calls that overlap share a round trip. */
  wake(sessionKey: SessionKey): Promise<void>;
  /** The sweeper's wake-up: its own deduplication id, so that a dead holder's job cannot swallow it. */
  rewake(sessionKey: SessionKey, fence: number): Promise<void>;
  /** `run` may throw: the job ends all the same, and only the inbox decides what is left to do. */
  consume(run: (sessionKey: SessionKey) => Promise<void>, concurrency: number): Consumer;
}

export interface Consumer {
  /** Takes no new work and waits for work in progress, at most `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** Addressed to whoever serves an account or to one worker. Lossy: a sweep finds what was lost. */
export type AccountSignal =
  | { readonly type: "frames"; readonly frames: readonly StreamFrame[] }
  /** New rows wait in the outbox. */
  | { readonly type: "deliver" }
  /** Somebody has opened an attachment that nobody has fetched. */
  | { readonly type: "fetch" }
  /** A message went out in this conversation: readers of its history look again. */
  | { readonly type: "sent"; readonly conversationId: ConversationId };

export type WorkerSignal =
  /** A person stopped or interrupted the session: look at the store. */
  { readonly type: "cancel"; readonly sessionKey: SessionKey };

/**
 * The lossy bus between processes. `publish` never throws and never waits; per topic and publisher order holds.
 * On Redis it is publish/subscribe; on PostgreSQL coalesced NOTIFY: the first signal after a pause leaves at once,
 * those that follow within 25 ms travel together.
 */
export interface SignalBus {
  frame(frame: StreamFrame): void;
  deliver(accountId: AccountId): void;
  fetch(accountId: AccountId): void;
  sent(accountId: AccountId, conversationId: ConversationId): void;
  cancel(worker: ProcessId, sessionKey: SessionKey): void;
  onAccount(accountId: AccountId, receive: (signal: AccountSignal) => void): Promise<Subscription>;
  onWorker(worker: ProcessId, receive: (signal: WorkerSignal) => void): Promise<Subscription>;
}

export interface Subscription {
  end(): Promise<void>;
}

/**
 * What is left alone for a while, such as a model that has failed, as all workers know it. Names hold no secret. Each method
 * rejects with `unavailable` when the backend does not answer at once: nobody waits for what is good to know.
 */
export interface Rests {
  /** Leaves `name` alone for `ms` from now, whatever was said before. */
  rest(name: string, ms: number): Promise<void>;
  /** Those of the names that rest now, with the milliseconds that are left. */
  resting(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * The right to ask `name`. One that has rested within a day is asked by a single caller first: everybody else gets false until
   * that one has called `rest` or `recovered`, or `ms` are over. True for one that has not rested, false for one that rests.
   */
  probe(name: string, ms: number): Promise<boolean>;
  /** It works: everybody may ask it again. */
  recovered(name: string): Promise<void>;
}

/** Everything between processes, on one backend. */
export interface QueueSystem {
  readonly wakes: WakeQueue;
  readonly bus: SignalBus;
  /** On PostgreSQL for workers alone. */
  readonly rests?: Rests;
  /** Resolves when the backend takes what is written; throws `unavailable` otherwise. For readiness. */
  ping(signal: AbortSignal): Promise<void>;
  /** Ends consumers, subscriptions and connections; at most ten seconds. */
  close(): Promise<void>;
}

export type QueueBackend =
  | { readonly kind: "postgres"; readonly url: string }
  | { readonly kind: "redis"; readonly url: string };
