import { setTimeout as sleep } from "node:timers/promises";
import { onStopSignals } from "../signals.ts";

/** Drains for a given time, and reports to its parent what it does. */
const stopped = onStopSignals({
  drain: async () => {
    process.send?.("drain");
    await sleep(Number(process.argv[2]));
    process.send?.("drained");
  },
  atOnce: () => undefined,
});
process.on("message", () => undefined);
process.send?.("ready");
await stopped;
process.disconnect();
process.exit(0);
