import { backoffMs, type Clock, type EventId } from "@talaria/protocol";

/** A waiting caller gets an answer after this time at the latest; a later reply is only in the history. */
const longestMs = 600_000;
const look = { firstMs: 50, longestMs: 1_000 };

export interface WaitDeps {
  readonly clock: Clock;
  /** The reply once there is one, null when there will be none, undefined while the agent works. */
  readonly replyOf: (eventId: EventId) => Promise<string | null | undefined>;
  /** Aborted when the route stops: nobody waits any longer then. */
  readonly stopping: AbortSignal;
}

/**
 * Answers 200 and, when there is a reply, the JSON `{ eventId, reply }`. Without one in time, or when the route stops,
 * `reply` is null. `gone` is aborted when the caller hangs up; then nothing more is looked for.
 */
export function waitForReply(eventId: EventId, deps: WaitDeps, gone: AbortSignal): Response {
  const cancelled = new AbortController();
  const left = AbortSignal.any([gone, cancelled.signal]);
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const reply = await poll(eventId, deps, AbortSignal.any([left, deps.stopping]));
      if (cancelled.signal.aborted) return;
      if (gone.aborted) return controller.error(gone.reason);
      controller.enqueue(new TextEncoder().encode(JSON.stringify({ eventId, reply })));
      controller.close();
    },
    cancel: () => cancelled.abort(),
  });
  return new Response(body, { status: 200, headers: { "content-type": "application/json" } });
}

async function poll(eventId: EventId, { clock, replyOf }: WaitDeps, ending: AbortSignal): Promise<string | null> {
  const until = clock.elapsed() + longestMs;
  for (let looks = 1; clock.elapsed() < until; looks += 1) {
    // If the store is unavailable for a moment, ask it again after the same pause.
    const reply = await replyOf(eventId).catch(() => undefined);
    if (reply !== undefined) return reply;
    try {
      await clock.sleep(backoffMs(looks, look, 1), ending);
    } catch {
      return null;
    }
  }
  return null;
}
