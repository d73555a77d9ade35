import type { ConnectionState } from "@talaria/adapter";
import { type Backoff, type Clock, type ErrorCode, GatewayError, isGatewayError } from "@talaria/protocol";
import { retryPauseMs } from "./retry-pause.ts";

/** How long to wait before each new attempt, and when a connection counts as good again. */
export interface Patience extends Backoff {
  /** Attempts are counted from the start again only after a connection lasted this long, so a flapping one slows down. */
  readonly stableMs: number;
}

export const defaultPatience: Patience = { firstMs: 1_000, longestMs: 30_000, stableMs: 60_000 };

/** Calls that reach the platform end a pause at most this often: a platform that takes posts may refuse to be read. */
const hurryEveryMs = 5_000;

export interface KeepConnectedOptions {
  /**
   * Connects, calls `connected` once events can flow, and stays until the connection ends by throwing. `connected` may
   * be called again and again. A GatewayError's `retryAfterMs` lengthens the wait before the next attempt.
   */
  readonly session: (connected: () => void, signal: AbortSignal) => Promise<void>;
  /** `error` is why the connection does not stand. */
  readonly report: (state: ConnectionState, error?: GatewayError) => void;
  readonly clock: Clock;
  /** Spreads the attempts of different accounts in time: the account's id. */
  readonly seed: string;
  /** What an operator should do about an error that retrying cannot fix. */
  readonly hint: (code: ErrorCode, error: GatewayError) => string;
  readonly patience?: Patience;
}

export interface Connection {
  /** Resolves at the first state that is not `connecting`. Rejects with the error when an operator has to act at once. */
  readonly opened: Promise<void>;
  /** Resolves when no attempt will follow: aborted, or an operator has to act. Never rejects. */
  readonly closed: Promise<void>;
  /** Something else has just reached the platform: an attempt that waits begins now, once in 5 s. One that was told how long to wait does not. */
  hurry(): void;
}

/**
 * Runs sessions one after another until `signal` is aborted or an error says that an operator has to act. Reports
 * `connecting`, then `connected`, then after each loss `reconnecting` with a growing attempt, or `needs-operator`. After
 * an abort nothing is reported.
 */
export function keepConnected(options: KeepConnectedOptions, signal: AbortSignal): Connection {
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => undefined);
  const pause: Pause = {};
  const closed = run(options, opened, pause, signal).finally(() => opened.resolve());
  return { opened: opened.promise, closed, hurry: () => pause.end?.() };
}

/** Between two attempts; what ends it early is there only while it may. */
interface Pause {
  end?: (() => void) | undefined;
}

async function run(
  options: KeepConnectedOptions,
  opened: PromiseWithResolvers<void>,
  pause: Pause,
  signal: AbortSignal,
): Promise<void> {
  const { clock, report, seed, patience = defaultPatience } = options;
  report({ status: "connecting" });
  let attempt = 0;
  let hurriedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    let connectedAt: number | undefined;
    const connected = () => {
      if (connectedAt !== undefined || signal.aborted) return;
      connectedAt = clock.elapsed();
      report({ status: "connected" });
      opened.resolve();
    };
    const error = await failureOf(() => options.session(connected, signal));
    if (signal.aborted) return;
    if (needsOperator.has(error.code)) {
      report({ status: "needs-operator", code: error.code, hint: options.hint(error.code, error) }, error);
      opened.reject(error);
      return;
    }
    if (connectedAt !== undefined && clock.elapsed() - connectedAt >= patience.stableMs) attempt = 0;
    attempt += 1;
    report({ status: "reconnecting", attempt, code: error.code }, error);
    opened.resolve();
    const early = new AbortController();
    if (error.retryAfterMs === undefined)
      pause.end = () => {
        if (clock.elapsed() - hurriedAt < hurryEveryMs) return;
        hurriedAt = clock.elapsed();
        early.abort();
      };
    const pauseMs = retryPauseMs(attempt, patience, seed, error);
    await clock.sleep(pauseMs, AbortSignal.any([signal, early.signal])).catch(() => undefined);
    pause.end = undefined;
  }
}

const needsOperator: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unauthorized", "forbidden", "invalid_request"]);

async function failureOf(session: () => Promise<void>): Promise<GatewayError> {
  try {
    await session();
    return new GatewayError("the platform ended the connection", { code: "unavailable" });
  } catch (error) {
    if (isGatewayError(error)) return error;
    return new GatewayError("a connection failed unexpectedly", { code: "internal", cause: error });
  }
}
