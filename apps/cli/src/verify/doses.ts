import { setTimeout as sleep } from "node:timers/promises";
import { cutConnections, freezeConnections, freezeDatabase, makeReadOnly, strikeDatabase } from "./database-doses.ts";
import { disturb } from "./disturbance.ts";
import type { DoseDeps } from "./dose-deps.ts";
import { freeze, oneOf } from "./freeze.ts";
import { fillRedis, pauseRedis } from "./redis-doses.ts";

interface Kind {
  readonly text: string;
  /** What it can't be given without. */
  readonly needs?: "the embedded database" | "Redis";
  /** No worker ends or loses its sessions, so that the end of every command is seen. */
  readonly sparesWorkers: boolean;
  readonly give: (deps: DoseDeps) => Promise<void>;
}

/** Longer than a worker's lease, and shorter than what the supervisor takes for dead. */
const frozenMs = 20_000;

const kinds = {
  kill: {
    text: "while processes are killed",
    sparesWorkers: false,
    give: ({ processes, say, signal }) => disturb(processes, say, signal),
  },
  freeze: {
    text: "while a worker and then a gateway are frozen",
    sparesWorkers: false,
    give: async (deps) => {
      await freeze(await oneOf("worker", deps), "a worker", frozenMs, deps);
      await freeze(await oneOf("gateway", deps), "a gateway", frozenMs, deps);
    },
  },
  "freeze-database": {
    text: "while the database is frozen",
    needs: "the embedded database",
    sparesWorkers: false,
    give: freezeDatabase,
  },
  "freeze-connections": {
    text: "while the workers' connections to the database are frozen",
    needs: "the embedded database",
    sparesWorkers: false,
    give: freezeConnections,
  },
  "restart-database": {
    text: "while the database stops at once again and again",
    needs: "the embedded database",
    sparesWorkers: true,
    give: (deps) => strikeDatabase("SIGQUIT", "stopped the database at once", deps),
  },
  "kill-database": {
    text: "while the database is killed again and again",
    needs: "the embedded database",
    sparesWorkers: true,
    give: (deps) => strikeDatabase("SIGKILL", "killed the database", deps),
  },
  "cut-connections": {
    text: "while every connection to the database is cut again and again",
    sparesWorkers: true,
    give: cutConnections,
  },
  "read-only-database": {
    text: "while the database takes nothing that is written",
    sparesWorkers: false,
    give: makeReadOnly,
  },
  "pause-redis": {
    text: "while Redis does not answer",
    needs: "Redis",
    sparesWorkers: true,
    give: pauseRedis,
  },
  "fill-redis": {
    text: "while the memory of Redis is full",
    needs: "Redis",
    sparesWorkers: true,
    give: fillRedis,
  },
} as const satisfies Record<string, Kind>;

/** What is done to the installation while people write. */
export type Dose = keyof typeof kinds;

export const doses = Object.keys(kinds) as readonly Dose[];

export function kindOf(dose: Dose): Kind {
  return kinds[dose];
}

/** Before the first blow, so that turns run. */
const leadMs = 2_000;

/** Does it, and resolves when it is done or the signal aborts. Nothing stays frozen or changed. */
export async function give(dose: Dose, deps: DoseDeps): Promise<void> {
  try {
    if (dose !== "kill") await sleep(leadMs, undefined, { signal: deps.signal });
    await kindOf(dose).give(deps);
  } catch (error) {
    if (!deps.signal.aborted) throw error;
  }
}
