import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const mostFiles = 100;
const mostBytes = 1_000_000;
const nameForm = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export interface FoundFile {
  /** Without `.ts`: the name of the tool. */
  readonly name: string;
  readonly path: string;
  /** Another one means another content. */
  readonly stamp: string;
}

export interface FileProblem {
  /** As it is called in the tools' folder. */
  readonly file: string;
  readonly problem: string;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly problems: readonly FileProblem[];
}

/**
 * The tool files that lie directly in a folder, sorted by name, at most 100. Declarations (`.d.ts`), tests (`.test.ts`) and hidden
 * files are none. Throws what the file system throws.
 */
export async function findToolFiles(folder: string): Promise<FoundFiles> {
  const names = await readdir(folder);
  const meant = names.filter((name) => name.endsWith(".ts") && !/^\.|\.d\.ts$|\.test\.ts$/.test(name)).sort();
  const found = await Promise.all(meant.slice(0, mostFiles).map((file) => look(folder, file)));
  const left = meant
    .slice(mostFiles)
    .map((file) => ({ file, problem: `more than ${mostFiles} tool files: this one is left out` }));
  return {
    files: found.filter((one) => "stamp" in one),
    problems: [...found.filter((one) => "problem" in one), ...left],
  };
}

async function look(folder: string, file: string): Promise<FoundFile | FileProblem> {
  const name = file.slice(0, -".ts".length);
  const path = join(folder, file);
  if (!nameForm.test(name)) {
    return { file, problem: "its name can't be a tool's: a letter, then letters, digits, `_` and `-`, at most 64" };
  }
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || !info.isFile()) return { file, problem: "it can't be read" };
  if (info.size > mostBytes) return { file, problem: `it has more than ${mostBytes} bytes` };
  if ((info.mode & 0o002) !== 0) return { file, problem: "everybody may change it: run `chmod o-w` on it" };
  return { name, path, stamp: stampOf(info) };
}

/** The same for as long as nobody writes to the file. Undefined where there is none. */
export async function stampAt(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info === undefined ? undefined : stampOf(info);
}

function stampOf({
  ino,
  size,
  mtimeMs,
}: {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}): string {
  return `${ino} ${size} ${mtimeMs}`;
}
