import { type AccountId, type Backoff, backoffMs, type Clock, type Log } from "@talaria/protocol";
import type { AccountSignal, SignalBus, Subscription } from "@talaria/queue";

const patience: Backoff = { firstMs: 250, longestMs: 5_000 };

export interface AccountSignalsDeps {
  readonly bus: Pick<SignalBus, "onAccount">;
  readonly receive: (signal: AccountSignal) => void;
  /** Called when a subscription succeeds after the first attempt failed: earlier signals were missed. */
  readonly late: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

export interface AccountSignals {
  /** Resolves when the first attempt to subscribe has ended, successful or not. Never rejects. */
  readonly tried: Promise<void>;
  /** Resolves when the subscription has ended and nothing more is received. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Receives an account's signals until `signal` is aborted. Subscribing is retried for as long as it fails. Signals may be
 * lost, so an account works without them, only more slowly.
 */
export function receiveSignals(accountId: AccountId, deps: AccountSignalsDeps, signal: AbortSignal): AccountSignals {
  const tried = Promise.withResolvers<void>();
  const ended = run(accountId, deps, tried.resolve, signal).finally(() => tried.resolve());
  return { tried: tried.promise, ended };
}

async function run(
  accountId: AccountId,
  deps: AccountSignalsDeps,
  tried: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { bus, receive, late, clock, random, log } = deps;
  let subscription: Subscription | undefined;
  for (let attempt = 1; subscription === undefined && !signal.aborted; attempt += 1) {
    try {
      subscription = await bus.onAccount(accountId, (received) => {
        if (!signal.aborted) receive(received);
      });
      if (attempt > 1) late();
    } catch (error) {
      if (attempt === 1) log.warn({ error }, "account signals could not be subscribed to yet");
      tried();
      await clock.sleep(backoffMs(attempt, patience, random()), signal).catch(() => undefined);
    }
  }
  tried();
  await aborted(signal);
  await subscription?.end().catch((error: unknown) => log.debug({ error }, "account signals did not end cleanly"));
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
