import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { logFileName } from "./log-file.ts";

export const startLogName = "start";

/** Adds a line of `talaria start` itself to the log, where there is one. A full disk costs lines. */
export function noteInLog(dir: string, level: "info" | "warn" | "error", msg: string): void {
  const entry = { level, time: new Date().toISOString(), pid: process.pid, name: startLogName, msg };
  try {
    appendFileSync(join(dir, logFileName), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {}
}
