import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { shownPath } from "../shown-word.ts";

/** What the configuration takes at most. */
const mostSecretBytes = 65_536;

const notRegular = "it is no regular file";

/** A configuration file as it was at one moment. */
export interface ConfigState {
  /** Undefined when there is no file. */
  readonly text: string | undefined;
}

/** Throws one sentence when the file is there and cannot be read. */
export async function readConfigState(file: string): Promise<ConfigState> {
  try {
    // A pipe would keep whoever opens it until somebody writes.
    await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await handle.stat();
    if (!found.isFile() && !found.isDirectory()) throw Object.assign(new Error(notRegular), { code: notRegular });
    return { text: await handle.readFile("utf8") };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { text: undefined };
    throw new Error(`the configuration file ${shownPath(file)} cannot be read: ${code}`, { cause: error });
  }
}

/** Changes whenever the file does. */
export async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino, mode } = await stat(file);
    return `${mtimeMs} ${size} ${ino} ${mode}`;
  } catch (error) {
    return codeOf(error);
  }
}

/** What secret files hold and who may read them, as digests by their paths. One that is too large to be used has its stamp. */
export async function digestsOf(files: readonly string[]): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await digestOf(file)])));
}

async function digestOf(file: string): Promise<string> {
  try {
    const found = await stat(file);
    const { mode, size } = found;
    if (size > mostSecretBytes || !found.isFile()) return await stampOf(file);
    return createHash("sha256")
      .update(`${mode} `)
      .update(await readFile(file))
      .digest("hex");
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
