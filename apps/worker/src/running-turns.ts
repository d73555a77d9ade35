import { isGatewayError, type SessionKey } from "@talaria/protocol";
import type { Cancellation, SessionLease, TurnStore } from "@talaria/store";

/** `spending_limit`: nobody who asked can pay for another answer. `lost`: another worker has the session. */
export type AbortReason = Cancellation | "timeout" | "spending_limit" | "shutdown" | "lost";

interface RunningTurn {
  readonly lease: SessionLease;
  readonly firstSeq: number;
  readonly controller: AbortController;
}

/** The turns that this process runs now, and ways to end them early. */
export class RunningTurns {
  readonly #turns = new Map<SessionKey, RunningTurn>();
  readonly #store: Pick<TurnStore, "cancelled">;
  #closed = false;

  constructor(store: Pick<TurnStore, "cancelled">) {
    this.#store = store;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** True once the process is shutting down: no new turn begins. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Does the work of a turn. `timeUp` is aborted after `timeoutMs`; what is left to say then has `graceMs` more, until `signal` is.
   * Timers count by the clock that only runs forward.
   */
  async run<Result>(
    turn: {
      readonly lease: SessionLease;
      readonly firstSeq: number;
      readonly timeoutMs: number;
      readonly graceMs: number;
    },
    work: (signal: AbortSignal, timeUp: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const time = new AbortController();
    const { sessionKey } = turn.lease;
    this.#turns.set(sessionKey, { ...turn, controller });
    const reason: AbortReason = "timeout";
    let timer = setTimeout(() => {
      timer = setTimeout(() => controller.abort(reason), turn.graceMs);
      time.abort(reason);
    }, turn.timeoutMs);
    if (this.#closed) controller.abort("shutdown" satisfies AbortReason);
    try {
      return await work(controller.signal, time.signal);
    } finally {
      clearTimeout(timer);
      this.#turns.delete(sessionKey);
      controller.abort("shutdown" satisfies AbortReason);
    }
  }

  /**
   * Checks in the store whether a person has ended this session's turn or another worker has taken it. The signal that
   * led here may be outdated.
   */
  async check(sessionKey: SessionKey): Promise<void> {
    const turn = this.#turns.get(sessionKey);
    if (turn === undefined) return;
    const reason = await this.#reasonToEnd(turn);
    if (reason !== undefined) turn.controller.abort(reason);
  }

  /** Checks every running turn, in case a signal was lost. */
  async checkAll(): Promise<void> {
    for (const sessionKey of [...this.#turns.keys()]) await this.check(sessionKey);
  }

  /** Ends the turn of a session, if one runs here. */
  abort(sessionKey: SessionKey, reason: AbortReason): void {
    this.#turns.get(sessionKey)?.controller.abort(reason);
  }

  /** Turns go on; nothing new begins. */
  close(): void {
    this.#closed = true;
  }

  /** Aborts every running turn; the sessions are handed over to other workers. */
  abortAll(): void {
    for (const { controller } of this.#turns.values()) controller.abort("shutdown" satisfies AbortReason);
  }

  async #reasonToEnd({ lease, firstSeq }: RunningTurn): Promise<AbortReason | undefined> {
    try {
      return await this.#store.cancelled(lease, firstSeq);
    } catch (error) {
      if (isGatewayError(error, "conflict")) return "lost";
      throw error;
    }
  }
}
