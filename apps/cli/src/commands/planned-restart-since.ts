import { readFile } from "node:fs/promises";
import { isRunning } from "@talaria/postgres/process-info";
import { z } from "zod";

/** A restart that takes longer has met something that nobody has planned. A new release installs its dependencies first. */
const longestMs = 300_000;

const keptSchema = z.object({ pid: z.int().positive(), at: z.iso.datetime() });

/** Since when a `talaria start` that lives has been replacing what it runs, as ISO 8601. Undefined: none does, or for too long. */
export async function plannedRestartSince(file: string, now: number): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => "null");
  const { data } = keptSchema.safeParse(parsed(text));
  if (data === undefined || now - Date.parse(data.at) >= longestMs) return undefined;
  return (await isRunning(data.pid)) ? data.at : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
