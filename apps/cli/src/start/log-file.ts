import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { copyFile, mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/** A log that has grown to this size is begun anew; one older log is kept. */
const maxBytes = 20 * 1024 * 1024;
const lookMs = 60_000;
export const logFileName = "talaria.log";

export interface LogFile {
  readonly path: string;
  /** Children write to it. It is opened for appending, so that truncating it is safe. */
  readonly descriptor: number;
  close(): Promise<void>;
}

/** Opens the log of everything that `talaria start` runs, and keeps it from growing without end. */
export async function openLogFile(dir: string): Promise<LogFile> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, logFileName);
  const file = await open(path, "a", 0o600);
  const setAside = async () => {
    if ((await file.stat()).size < maxBytes) return;
    await copyFile(path, `${path}.1`);
    await file.truncate();
  };
  await setAside();
  const timer = setInterval(() => void setAside().catch(() => undefined), lookMs);
  return {
    path,
    descriptor: file.fd,
    close: async () => {
      clearInterval(timer);
      await file.close();
    },
  };
}

/**
 * For a process beside those of `talaria start`: adds lines to the same log, which is kept from growing there. A full disk costs
 * lines.
 */
export async function joinLogFile(dir: string): Promise<{ write(line: string): void; close(): Promise<void> }> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stream = createWriteStream(join(dir, logFileName), { flags: "a", mode: 0o600 });
  stream.on("error", () => undefined);
  return {
    write: (line) => void stream.write(line),
    close: async () => {
      if (stream.destroyed) return;
      stream.end();
      await once(stream, "close");
    },
  };
}
