import "./english-only.ts";
import "./without-brotli.ts";
import { fail } from "./fail.ts";

type Resident = (options: Record<string, never>) => Promise<void>;

/** What stays in memory all day, or runs before each start, doesn't load the code that parses a command line. */
const residents: Readonly<Record<string, () => Promise<Resident>>> = {
  start: async () => (await import("./start/start.ts")).start,
  gateway: async () => (await import("./commands/gateway.ts")).gateway,
  worker: async () => (await import("./commands/worker.ts")).worker,
  prepare: async () => (await import("./start/prepare.ts")).prepare,
  warm: async () => (await import("./commands/warm.ts")).warm,
};

const [name = "", ...words] = process.argv.slice(2);
const resident = words.length === 0 && Object.hasOwn(residents, name) ? residents[name] : undefined;

if (resident === undefined) {
  await import("./command-line.ts");
} else {
  await resident()
    .then((run) => run({}))
    .catch(fail);
}
