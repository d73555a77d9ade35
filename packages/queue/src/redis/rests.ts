import type { Clock } from "@talaria/protocol";
import type { Redis } from "ioredis";
import { within } from "../deadline.ts";
import type { Rests } from "../ports.ts";

/** A model is not asked later because Redis is slow. */
const answerMs = 250;
/** How long it is remembered that something has rested, after its rest is over. */
const rememberedMs = 86_400_000;
const [resting, rested] = ["talaria:resting:", "talaria:rested:"] as const;

/**
 * Two keys for each name, which end by themselves by the clock of the server: one while it rests or is probed, and one that
 * says that it has rested.
 */
export function createRedisRests(commands: Redis, clock: Clock): Rests {
  const soon = <Result>(work: Promise<Result>) => within(work, answerMs, clock, "redis does not answer at once");
  return {
    async rest(name, ms) {
      const restMs = whole(ms);
      const both = commands
        .multi()
        .set(resting + name, 1, "PX", restMs)
        .set(rested + name, 1, "PX", restMs + rememberedMs);
      await soon(both.exec());
    },
    async resting(names) {
      const left = await soon(Promise.all(names.map((name) => commands.pttl(resting + name))));
      return new Map(names.map((name, n) => [name, left[n] ?? 0] as const).filter(([, ms]) => ms > 0));
    },
    async probe(name, ms) {
      if ((await soon(commands.exists(rested + name))) === 0) return true;
      return (await soon(commands.set(resting + name, 1, "PX", whole(ms), "NX"))) === "OK";
    },
    async recovered(name) {
      await soon(commands.del(resting + name, rested + name));
    },
  };
}

function whole(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
