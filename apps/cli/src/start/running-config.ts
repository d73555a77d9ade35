import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";

/** A configuration file as it was at one moment. */
export interface ConfigState {
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** Undefined when there is no file. */
  readonly text: string | undefined;
}

/** Throws one sentence when the file is there and cannot be read. */
export async function readConfigState(file: string): Promise<ConfigState> {
  const stamp = await stampOf(file);
  try {
    return { stamp, text: await readFile(file, "utf8") };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { stamp, text: undefined };
    throw new Error(`the configuration file ${file} cannot be read: ${code}`, { cause: error });
  }
}

export async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return codeOf(error);
  }
}

/**
 * Stores the text that gateway and workers run with, readable by its owner only. A child that crashes starts again with it,
 * whatever has happened to the file meanwhile. Throws one sentence when it can't be written.
 */
export async function setRunningConfig(file: string, text: string | undefined): Promise<void> {
  const next = `${file}.new`;
  try {
    if (text === undefined) return await rm(file, { force: true });
    await writeFile(next, text, { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    throw new Error(`cannot write ${file}: ${error instanceof Error ? error.message : codeOf(error)}`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
