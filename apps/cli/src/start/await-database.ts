import { setTimeout as sleep } from "node:timers/promises";
import { outOfConnections } from "@talaria/protocol";

/** Pauses between attempts double from the first to the last value; all attempts take about two minutes. */
const pauseMs = { first: 1_000, last: 5_000 };
const attempts = 26;

/**
 * What passes by itself: no connection is free, or the server is starting or shutting down (SQLSTATE, errcodes-appendix of
 * PostgreSQL's documentation). A refused login and a missing database are no such thing.
 */
const passing: Readonly<Record<string, string>> = {
  [outOfConnections.sqlState]: `the database ${outOfConnections.words}`,
  "57P01": "the database is shutting down: start its server again, or look at that server's log",
  "57P03": "the database is starting or shutting down: if that does not end, look at its server's log",
};

/**
 * Does `work` again while the database can't take it for now, 26 times at most, and says once what it waits for. Rejects with what
 * `work` threw if that does not pass by itself, else with a sentence that names the remedy. `pause` waits so many ms.
 */
export async function awaitDatabase<Result>(
  work: () => Promise<Result>,
  say: (line: string) => void,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
): Promise<Result> {
  let said: string | undefined;
  for (let attempt = 1, ms = pauseMs.first; ; attempt += 1, ms = Math.min(ms * 2, pauseMs.last)) {
    try {
      return await work();
    } catch (error) {
      const reason = reasonToWait(error);
      if (reason === undefined) throw error;
      if (attempt === attempts) throw new Error(`${reason} (tried ${attempts} times)`, { cause: error });
      if (reason !== said) say(`waiting: ${reason}`);
      said = reason;
      await pause(ms);
    }
  }
}

function reasonToWait(error: unknown): string | undefined {
  // The queue's errors carry words only.
  if (error instanceof Error && error.message.includes(outOfConnections.words))
    return passing[outOfConnections.sqlState];
  return passing[codeOf(error) ?? ""] ?? passing[codeOf(error instanceof Error ? error.cause : undefined) ?? ""];
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
