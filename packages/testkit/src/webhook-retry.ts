import { systemClock } from "@talaria/protocol";

/** How a platform repeats what a webhook did not accept. */
export interface WebhookRetry {
  /** Pause after the first failure; doubles with each further one ... */
  readonly firstMs: number;
  /** ... up to this. */
  readonly maxMs: number;
  /** How long one request may take. */
  readonly timeoutMs: number;
}

/** Posts until `post` resolves with true or `signal` is aborted, with growing pauses. */
export async function repeatUntilTaken(
  { firstMs, maxMs }: WebhookRetry,
  signal: AbortSignal,
  post: () => Promise<boolean>,
): Promise<void> {
  for (let pauseMs = firstMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, maxMs)) {
    if (await post()) return;
    await systemClock.sleep(pauseMs, signal).catch(() => undefined);
  }
}
