import { readFile } from "node:fs/promises";
import { isRunning } from "@talaria/postgres/process-info";
import type { Problem } from "@talaria/store";
import { z } from "zod";

const keptSchema = z.object({ pid: z.int().positive(), problems: z.array(z.string()).min(1) });

/** That a `talaria start` which lives goes on with the configuration from before, with the first reason. Nothing where it has refused none. */
export async function refusedConfigProblem(file: string): Promise<readonly Problem[]> {
  const { data } = keptSchema.safeParse(parsed(await readFile(file, "utf8").catch(() => "null")));
  if (data === undefined || !(await isRunning(data.pid))) return [];
  const [first, ...others] = data.problems;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const line = `the changed configuration is not in use, the one before goes on: ${first}${more}; mend the file, \`talaria check\` tries it`;
  return [{ kind: "configuration", key: "configuration", code: "refused", line, stopsAnswers: false, graceMs: 0 }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
