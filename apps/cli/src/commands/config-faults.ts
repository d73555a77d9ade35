import { readFile } from "node:fs/promises";
import { isRunning } from "@talaria/postgres/process-info";
import { z } from "zod";

const keptSchema = z.object({ pid: z.int().positive(), problems: z.array(z.string()).min(1) });

/** Why a `talaria start` that lives goes on with the configuration from before, at least one line. Empty where it has refused none. */
export async function configFaults(file: string): Promise<readonly string[]> {
  const { data } = keptSchema.safeParse(parsed(await readFile(file, "utf8").catch(() => "null")));
  return data !== undefined && (await isRunning(data.pid)) ? data.problems : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
