import type { Adapter, AdapterHost, ConnectionState } from "@talaria/adapter";
import {
  type Backoff,
  backoffMs,
  type Clock,
  type ErrorCode,
  errorTable,
  isGatewayError,
  type Log,
} from "@talaria/protocol";
import { aborted } from "./account-signals.ts";

/** How long an adapter may take to stop before the gateway goes on without it. */
const longestStopMs = 10_000;
/** Pauses before a failed start is retried. */
const patience: Backoff = { firstMs: 500, longestMs: 30_000 };

export interface AccountConnectionDeps {
  readonly adapter: Adapter;
  readonly host: AdapterHost;
  /** The last state that was reported, by the adapter or from here. */
  readonly state: () => ConnectionState;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly stopMs?: number;
}

/**
 * Starts or stops one adapter as wanted, one change after another. A start that fails is retried with growing pauses unless
 * `errorTable` says that retrying can't help; then the account is `needs-operator` until the next change. An adapter that
 * does not stop in time holds nobody up.
 */
export class AccountConnection {
  readonly #deps: AccountConnectionDeps;
  #wanted: string | undefined;
  #ending = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #unfinishedStops = 0;

  constructor(deps: AccountConnectionDeps) {
    this.#deps = deps;
  }

  /** An adapter that was told to stop has not finished: its account had better be connected by another gateway. */
  get isStopping(): boolean {
    return this.#unfinishedStops > 0;
  }

  /** `life` names one life of the connection: another name stops the adapter and starts it again, undefined stops it. */
  want(life: string | undefined): void {
    if (life === this.#wanted) return;
    this.#wanted = life;
    this.#ending.abort();
    if (life === undefined) return;
    const ending = new AbortController();
    this.#ending = ending;
    this.#work = this.#work.then(() => this.#live(ending.signal));
  }

  /** Resolves when the life that was ended last is over, or takes too long to end. Never rejects. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #live(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { adapter, host, clock, random, log } = this.#deps;
    host.report({ status: "connecting" });
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const error = await this.#start(signal);
      if (error === undefined || signal.aborted) break;
      const code = isGatewayError(error) ? error.code : "internal";
      log.error({ error, code, attempt }, "account could not be started");
      if (isForOperator(code)) {
        // The adapter may have said already what has to be done.
        if (this.#deps.state().status !== "needs-operator")
          host.report({ status: "needs-operator", code, hint: "see the log, correct the account's settings, restart" });
        break;
      }
      const asked = (isGatewayError(error) && error.retryAfterMs) || 0;
      const pauseMs = Math.max(backoffMs(attempt, patience, random()), Math.min(asked, 3_600_000));
      await this.#stop();
      if (signal.aborted) return;
      host.report({ status: "reconnecting", attempt, code });
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
    await aborted(signal);
    await this.#stop();
    log.debug({ accountId: adapter.id }, "account disconnected");
  }

  /** Resolves with what the adapter threw; with undefined when it has started, or as soon as `signal` is aborted. */
  async #start(signal: AbortSignal): Promise<unknown> {
    const { adapter, host } = this.#deps;
    const started = begin(() => adapter.start(host)).then(
      () => undefined,
      (error: unknown) => error ?? new Error("the adapter threw nothing"),
    );
    return await Promise.race([started, aborted(signal)]);
  }

  /** Waits for a limited time; what takes longer goes on by itself. */
  async #stop(): Promise<void> {
    const { adapter, clock, log, stopMs = longestStopMs } = this.#deps;
    this.#unfinishedStops += 1;
    const stopped = begin(() => adapter.stop())
      .catch((error: unknown) => log.warn({ error }, "account stopped badly"))
      .finally(() => {
        this.#unfinishedStops -= 1;
      });
    const timer = new AbortController();
    const late = clock.sleep(stopMs, timer.signal).then(
      () => log.error({ stopMs }, "account does not stop; the gateway goes on without waiting for it"),
      () => undefined,
    );
    await Promise.race([stopped, late]);
    timer.abort();
  }
}

/** Retrying can't help. Work that was cancelled says nothing about the account. */
function isForOperator(code: ErrorCode): boolean {
  return errorTable[code].retry === "never" && code !== "aborted";
}

/** Turns what a function throws synchronously into a rejection. */
async function begin(work: () => Promise<void>): Promise<void> {
  await work();
}
