import type { LaterNews } from "@talaria/agent";
import type { Clock, Log, ProcessId, SessionKey, TurnId } from "@talaria/protocol";
import { unaskedPause } from "@talaria/sessions";
import type { CallStore, ProcessEnd } from "@talaria/store";

/** Whoever killed the process, or waits for it, is told of its end by that: the model need not be told twice. */
const settlesAfterMs = 1_000;
/** Until the turn has stored that something is told later: a turn that never does is over. While the database is away, the last for ever. */
const tryAgainMs = [200, 1_000, 5_000, 15_000, 30_000, 60_000];

export interface LaterNewsDeps {
  readonly calls: Pick<CallStore, "settleProcess">;
  readonly workerId: ProcessId;
  /** Lossy. */
  readonly wake: (sessionKey: SessionKey) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The call under whose id its news come: that which tells it has a result of its own. */
export function newsCallId(callId: string): string {
  return `${callId}/end`;
}

/** What calls of this worker tell when they have long had their results. */
export interface LaterNewsDesk {
  take(of: { readonly sessionKey: SessionKey; readonly turnId: TurnId }, callId: string, news: LaterNews): void;
  /** What its calls still do goes on, or is ended with it where somebody has stopped it. Never rejects. */
  turnEnded(turnId: TurnId, isStopped: boolean): void;
  /** Nothing is told any more: what this worker runs ends with it, and a gateway says so. */
  close(): void;
}

export function createLaterNews({ calls, workerId, wake, clock, log }: LaterNewsDeps): LaterNewsDesk {
  const closing = new AbortController();
  const settle = async (end: ProcessEnd) => {
    for (let tries = 0; ; tries += 1) {
      const outcome = await calls.settleProcess(end).catch((error: unknown) => {
        log.warn({ sessionKey: end.sessionKey, error }, "the end of a process could not be told: it is tried again");
        return "away" as const;
      });
      if (outcome === "settled") wake(end.sessionKey);
      if (outcome === "settled" || outcome === "closed") return;
      const ms = tryAgainMs[tries] ?? (outcome === "away" ? tryAgainMs.at(-1) : undefined);
      if (ms === undefined) return;
      await clock.sleep(ms, closing.signal);
    }
  };
  const stops = new Map<TurnId, NonNullable<LaterNews["stop"]>[]>();
  return {
    turnEnded(turnId, isStopped) {
      const all = stops.get(turnId) ?? [];
      stops.delete(turnId);
      if (!isStopped) return;
      for (const stop of all)
        stop().catch((error: unknown) =>
          log.warn({ turnId, error }, "what a stopped turn had let go could not be ended"),
        );
    },
    take(of, callId, { ended, content, brought, stop }) {
      if (stop !== undefined) stops.set(of.turnId, [...(stops.get(of.turnId) ?? []), stop]);
      const tell = async () => {
        await ended;
        if (closing.signal.aborted) return;
        await clock.sleep(settlesAfterMs, closing.signal);
        const said = content();
        const more = brought?.();
        await settle({
          ...of,
          callId: newsCallId(callId),
          heldBy: workerId,
          pause: unaskedPause,
          ...(said === undefined ? {} : { content: said }),
          ...(more === undefined ? {} : { brought: { ...more } }),
        });
      };
      tell().catch((error: unknown) => {
        if (!closing.signal.aborted)
          log.warn({ sessionKey: of.sessionKey, error }, "the end of a process was not told");
      });
    },
    close: () => closing.abort(),
  };
}
