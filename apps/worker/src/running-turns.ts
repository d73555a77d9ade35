import { CallTime } from "@talaria/agent";
import { type Clock, isGatewayError, type SessionKey } from "@talaria/protocol";
import type { Cancellation, SessionLease, TurnStore } from "@talaria/store";

/** `spending_limit`: nobody who asked can pay for another answer. `lost`: another worker has the session. */
export type AbortReason = Cancellation | "timeout" | "spending_limit" | "shutdown" | "lost";

interface RunningTurn {
  readonly lease: SessionLease;
  readonly firstSeq: number;
  readonly controller: AbortController;
  readonly time: CallTime;
}

/** The turns that this process runs now, and ways to end them early. */
export class RunningTurns {
  readonly #turns = new Map<SessionKey, RunningTurn>();
  readonly #store: Pick<TurnStore, "cancelled">;
  readonly #clock: Clock;
  #closed = false;

  constructor(store: Pick<TurnStore, "cancelled">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** True once the process is shutting down: no new turn begins. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Does the work of a turn. `timeUp` is aborted after `timeoutMs`, without what it has waited for people; what is left to say then has
   * `graceMs` more, until `signal` is.
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
    const [timeUp, ended] = [new AbortController(), new AbortController()];
    const { sessionKey } = turn.lease;
    const time = new CallTime(this.#clock);
    this.#turns.set(sessionKey, { ...turn, controller, time });
    void this.#endInTime(turn, { time, timeUp, controller }, ended.signal);
    if (this.#closed) controller.abort("shutdown" satisfies AbortReason);
    try {
      return await work(controller.signal, timeUp.signal);
    } finally {
      ended.abort();
      this.#turns.delete(sessionKey);
      controller.abort("shutdown" satisfies AbortReason);
    }
  }

  async #endInTime(
    { timeoutMs, graceMs }: { readonly timeoutMs: number; readonly graceMs: number },
    turn: Pick<RunningTurn, "time" | "controller"> & { readonly timeUp: AbortController },
    ended: AbortSignal,
  ): Promise<void> {
    const reason: AbortReason = "timeout";
    try {
      await turn.time.over(timeoutMs, ended);
      turn.timeUp.abort(reason);
      await this.#clock.sleep(graceMs, ended);
      turn.controller.abort(reason);
    } catch (error) {
      if (!ended.aborted) throw error;
    }
  }

  /** The time of this session's turn stands still while a call of it waits for people. */
  async untimed<Result>(sessionKey: SessionKey, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(sessionKey);
    return turn === undefined ? await work() : await turn.time.untimed(work);
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
