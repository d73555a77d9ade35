import type { Log } from "@talaria/protocol";
import type { StoredEntry, TurnStore } from "@talaria/store";
import type { Patience } from "./patience.ts";

/**
 * The store's writes of a running turn, made again while the database is away: what a command or a model has given is not lost, and
 * nothing is written twice. Each is fenced as ever, so that a worker that has lost its lease meanwhile writes nothing. `known` tells
 * how many entries of the turn have been written. `passes`: what is shortened is gone through for facts. A draft of a growing text that can't be stored is left out.
 */
export function patientTurns(
  turns: TurnStore,
  known: () => number,
  patiently: Patience,
  log: Log,
  passes = false,
): Pick<TurnStore, "append" | "steer" | "savePartial"> {
  return {
    append: (lease, turnId, entries, asks) => {
      const pass = passes && entries.some(({ kind }) => kind === "checkpoint");
      return patiently(() => turns.append(lease, turnId, entries, asks, known(), pass));
    },
    steer: (lease, turnId, toEntries, costs) => {
      const before = known();
      let made: readonly StoredEntry[] | undefined;
      const remembered: typeof toEntries = async (events) => {
        const entries = await toEntries(events);
        made = entries;
        return entries;
      };
      return patiently(async (isAgain) => {
        // An attempt whose answer was lost may have taken the events.
        if (isAgain && made !== undefined && (await turns.written(lease, turnId)) >= before + made.length) return made;
        return await turns.steer(lease, turnId, remembered, costs);
      });
    },
    savePartial: async (lease, turnId, text) => {
      await turns.savePartial(lease, turnId, text).catch((error: unknown) => {
        log.debug({ turnId, error }, "a growing text was not stored");
      });
    },
  };
}
