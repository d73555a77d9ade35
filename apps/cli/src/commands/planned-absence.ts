import { readFile } from "node:fs/promises";
import { isRunning } from "@talaria/postgres/process-info";
import type { PlannedAbsence } from "@talaria/store";
import { z } from "zod";

/** What takes longer has met something that nobody has planned. A new release installs its dependencies first. */
const longestMs = 300_000;

const keptSchema = z.object({
  pid: z.int().positive(),
  at: z.iso.datetime(),
  // A release before notes nothing but restarts.
  kind: z.enum(["restart", "stop"]).default("restart"),
});

/** What a `talaria start` that lives does with what it runs on purpose. Undefined: nothing, or for too long. */
export async function plannedAbsence(file: string, now: number): Promise<PlannedAbsence | undefined> {
  const text = await readFile(file, "utf8").catch(() => "null");
  const { data } = keptSchema.safeParse(parsed(text));
  if (data === undefined || now - Date.parse(data.at) >= longestMs) return undefined;
  return (await isRunning(data.pid)) ? { kind: data.kind, since: data.at } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
