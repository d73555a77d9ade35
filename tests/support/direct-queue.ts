import type { SessionKey, StreamFrame } from "@talaria/protocol";
import type { QueueSystem, SignalBus, WakeQueue, WorkerSignal } from "@talaria/queue";

type Run = (sessionKey: SessionKey) => Promise<void>;

/**
 * What lies between processes, for a test that has all of them in one: nothing happens by itself, `work` runs every session that
 * was woken, and those that are woken meanwhile, until none is left.
 */
export class DirectQueue implements QueueSystem {
  readonly frames: StreamFrame[] = [];
  readonly #woken = new Set<SessionKey>();
  readonly #runners: Run[] = [];
  readonly #hearing: ((signal: WorkerSignal) => void)[] = [];
  #turn = 0;
  #only: number | undefined;

  readonly wakes: WakeQueue = {
    wake: async (sessionKey) => void this.#woken.add(sessionKey),
    rewake: async (sessionKey) => void this.#woken.add(sessionKey),
    consume: (run) => {
      this.#runners.push(run);
      return { drain: async () => undefined };
    },
  };

  readonly bus: SignalBus = {
    frame: (frame) => void this.frames.push(frame),
    deliver: () => undefined,
    fetch: () => undefined,
    sent: () => undefined,
    cancel: () => undefined,
    onAccount: async () => ({ end: async () => undefined }),
    onWorker: async (_worker, hear) => {
      this.#hearing.push(hear);
      return { end: async () => undefined };
    },
  };

  /** Each session goes to `rivals` workers at the same moment. */
  async work(rivals = 1): Promise<void> {
    while (this.#woken.size > 0) {
      const sessions = [...this.#woken];
      this.#woken.clear();
      await Promise.all(sessions.flatMap((sessionKey) => this.#chosen(rivals).map((run) => run(sessionKey))));
    }
  }

  /** From now on sessions go to one worker alone, by its number from 0 on: others are as good as dead. */
  useOnly(worker: number): void {
    this.#only = worker;
  }

  /** Has the workers look whether these sessions have been stopped, as they do by themselves every few seconds. */
  look(sessionKeys: readonly SessionKey[]): void {
    for (const sessionKey of sessionKeys) for (const hear of this.#hearing) hear({ type: "cancel", sessionKey });
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #chosen(rivals: number): readonly Run[] {
    if (this.#only !== undefined) return this.#runners.slice(this.#only, this.#only + 1);
    this.#turn += 1;
    const { length } = this.#runners;
    const first = this.#turn % Math.max(1, length);
    return [...this.#runners.slice(first), ...this.#runners.slice(0, first)].slice(0, rivals);
  }
}
