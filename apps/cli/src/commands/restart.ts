import { readFile } from "node:fs/promises";
import { isRunning } from "@talaria/postgres/process-info";
import { z } from "zod";
import { freshFaults } from "../fresh-faults.ts";
import { type Home, locateHome } from "../home.ts";
import { lastNote } from "../logs/last-note.ts";
import { isState, order, until } from "./stop.ts";

/** A new release installs its dependencies first. */
const startMs = 300_000;

const keptSchema = z.object({ pid: z.int().positive() });

/**
 * `talaria restart`: resolves when the installation serves again, with the code and the configuration that are there now. Refuses, with the
 * lines of `talaria check`, what would not start again. Throws the reason as soon as the new start has ended.
 */
export async function restart(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void> {
  const home = locateHome(options, process.env);
  const { faults } = await freshFaults(home);
  if (faults.length > 0)
    throw new Error(`nothing was stopped, since the configuration would not be used:\n${faults.join("\n")}`);
  const { id } = await order(home.dir, "restart");
  let pid: number | undefined;
  const now = await until(home.dir, startMs, async (state) => {
    pid = (await restartingPid(home)) ?? pid;
    if (isState(state)) return state.id !== id && state.isReady;
    return state === "none" && pid !== undefined && !(await isRunning(pid));
  });
  if (isState(now ?? "none")) return console.log(`restarted: ${home.dir}`);
  throw new Error(now === undefined ? await standsWords(home, pid) : await endedWords(home, pid));
}

/** The restarted process keeps its id. */
async function restartingPid({ plannedRestartFile }: Home): Promise<number | undefined> {
  const text = await readFile(plannedRestartFile, "utf8").catch(() => "null");
  try {
    return keptSchema.safeParse(JSON.parse(text)).data?.pid;
  } catch {
    return undefined;
  }
}

async function endedWords({ dir, logDir }: Home, pid = 0): Promise<string> {
  const reason = (await lastNote(logDir, pid, "error")) ?? "its output says why";
  return `Talaria was stopped and did not start again on ${dir}: ${reason}`;
}

async function standsWords({ dir, logDir }: Home, pid = 0): Promise<string> {
  const last = await lastNote(logDir, pid);
  const stands = last === undefined ? "its output says why" : `the last that it said is "${last}"`;
  return `Talaria has not come back on ${dir} within 5 minutes: ${stands}`;
}
