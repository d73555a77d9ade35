import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";
import { placeWords, withPlaces } from "./place-words.ts";
import { lastEvents } from "./why.ts";

/** `talaria trace <id>`: what happened to one message, with times, and without its text. Without an id, what became of the last ones. */
export function trace(options: Record<string, string | boolean | undefined>, id?: string): Promise<void> {
  if (id === undefined) return lastEvents(options);
  return withStore(options, async ({ operations }) => {
    const traces = await withPlaces(await operations.trace(id), operations);
    if (traces.length === 0) throw new Error(`no event, message or turn has the id ${shownWord(id)}`);
    if (options.json === true) {
      console.log(JSON.stringify(traces, null, 2));
      return;
    }
    for (const { accountId, eventId, sessionKey, turnId, steps, place } of traces) {
      const where = place === undefined ? "" : `, ${placeWords(place)}`;
      console.log(
        `account ${accountId}, event ${eventId ?? "-"}${where}, session ${sessionKey ?? "-"}, turn ${turnId ?? "-"}`,
      );
      for (const { at, step, details } of steps) console.log(`  ${at}  ${step}  ${JSON.stringify(details)}`);
    }
  });
}
