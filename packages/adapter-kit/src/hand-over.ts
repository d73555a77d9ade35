import type { Acceptance, AcceptOptions, AdapterHost } from "@talaria/adapter";
import type { Backoff, Clock, InboundEvent, Log } from "@talaria/protocol";
import { retryPauseMs } from "./retry-pause.ts";

/** The wait before something is offered again that was not taken. */
const untilNextOffer: Backoff = { firstMs: 500, longestMs: 30_000 };

export interface HandOver {
  readonly host: Pick<AdapterHost, "accept">;
  readonly clock: Clock;
  readonly log: Log;
  readonly options?: AcceptOptions;
}

/**
 * Offers an event to the host until the host takes it. For platforms that tell something once, or whose cursor stands still
 * meanwhile. Rejects only when `signal` is aborted first; then the event is not taken.
 */
export function handOver(event: InboundEvent, parts: HandOver, signal: AbortSignal): Promise<Acceptance> {
  const { host, clock, log, options } = parts;
  const about = { eventId: event.id };
  return untilTaken(() => host.accept(event, options), { clock, log, seed: event.id, about }, signal);
}

export interface Offer {
  readonly clock: Clock;
  readonly log: Log;
  /** Decides the jitter of the waits. */
  readonly seed: string;
  /** Fields of the line that is logged after each failure. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** Runs `offer` until it succeeds, with `offerPauseMs` between two attempts. Rejects only once `signal` is aborted. */
export async function untilTaken<T>(
  offer: () => Promise<T>,
  { clock, log, seed, about }: Offer,
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await offer();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ ...about, failures, error }, "an event was not recorded and is offered again");
      await clock.sleep(offerPauseMs(failures, seed, error), signal);
    }
  }
}

/** The wait after so many offers in vain: half a second, growing to half a minute, and what the last error asked for. */
export function offerPauseMs(failures: number, seed: string, error?: unknown): number {
  return retryPauseMs(failures, untilNextOffer, seed, error);
}
