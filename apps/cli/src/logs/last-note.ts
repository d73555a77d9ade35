import { join } from "node:path";
import { z } from "zod";
import { logFileName } from "../start/log-file.ts";
import { startLogName } from "../start/start-log.ts";
import { linesFromEnd } from "./lines-from-end.ts";

const noteSchema = z.object({ name: z.literal(startLogName), pid: z.int(), level: z.string(), msg: z.string() });

/** What the `talaria start` of this process id has noted last in the log, of one level or of any. */
export async function lastNote(logDir: string, pid: number, level?: "error"): Promise<string | undefined> {
  let found: string | undefined;
  await linesFromEnd([join(logDir, logFileName)], 1, (line) => {
    if (!line.includes(`"name":"${startLogName}"`)) return false;
    const { data } = noteSchema.safeParse(parsed(line));
    if (data?.pid !== pid || (level !== undefined && data.level !== level)) return false;
    found ??= data.msg;
    return true;
  });
  return found;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
