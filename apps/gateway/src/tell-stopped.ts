import type { Log, TurnId } from "@talaria/protocol";
import type { SignalBus } from "@talaria/queue";
import type { TurnStore } from "@talaria/store";

export interface TellStoppedDeps {
  readonly turns: Pick<TurnStore, "partial">;
  readonly bus: Pick<SignalBus, "frame">;
  readonly log: Log;
}

/**
 * Tells whoever shows what a turn has written that no answer follows: its worker had said that one does. Expendable, never rejects: a page of
 * the web chat that misses it shows the words until it is loaded again.
 */
export async function tellStopped(turnId: TurnId, { turns, bus, log }: TellStoppedDeps): Promise<void> {
  try {
    const partial = await turns.partial(turnId);
    if (partial === undefined) return;
    const { sessionKey, fence, route } = partial;
    bus.frame({ type: "ended", status: "aborted", accountId: route.accountId, sessionKey, turnId, fence, n: 0 });
  } catch (error) {
    log.debug({ turnId, error }, "nobody was told that an answer was withheld");
  }
}
