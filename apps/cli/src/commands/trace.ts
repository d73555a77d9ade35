import { withStore } from "../open-store.ts";

/** `talaria trace <id>`: what happened to one message, with times, and without its text. */
export function trace(options: Record<string, string | boolean | undefined>, id = ""): Promise<void> {
  return withStore(options, async ({ operations }) => {
    const traces = await operations.trace(id);
    if (traces.length === 0) throw new Error(`no event, message or turn has the id ${id}`);
    if (options.json === true) {
      console.log(JSON.stringify(traces, null, 2));
      return;
    }
    for (const { accountId, eventId, sessionKey, turnId, steps } of traces) {
      console.log(`account ${accountId}, event ${eventId ?? "-"}, session ${sessionKey ?? "-"}, turn ${turnId ?? "-"}`);
      for (const { at, step, details } of steps) console.log(`  ${at}  ${step}  ${JSON.stringify(details)}`);
    }
  });
}
