import { chmod, lstat, mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isLeftover, isReplacing } from "../backup/replacement.ts";
import type { LoadedHome } from "../load-home.ts";
import { isHomeServed, socketPath } from "../start/home-lock.ts";
import type { Finding } from "./finding.ts";

const check = "files";
/** `token.<uuid>`. */
const beside = /.\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Modes of the data folder and of what is secret in it, folders that are missing, and what processes left that were killed. */
export async function ofFiles({
  home,
  secretFiles,
}: Pick<LoadedHome, "home" | "secretFiles">): Promise<readonly Finding[]> {
  const folder = await stat(home.dir).catch(() => undefined);
  if (folder === undefined) {
    const mend = async () => {
      await mkdir(home.dir, { recursive: true, mode: 0o700 });
      return `made ${home.dir}`;
    };
    const line = `the data folder ${home.dir} does not exist; the first start makes it`;
    return [{ check, state: "warning", line, mend }];
  }
  const secret = [
    home.tokenFile,
    home.keyFile,
    home.loginKeyFile,
    home.databaseUrlFile,
    home.runningConfigFile,
    ...secretFiles,
  ];
  const folders = [home.dir, join(dirname(home.configFile), "secrets")];
  const open = (
    await Promise.all([
      ...folders.map((path) => openTo(path, 0o700)),
      ...[...new Set(secret)].map((path) => openTo(path, 0o600)),
    ])
  ).flat();
  const missing = await missingFolders(secretFiles);
  const left = [...(await deadSocket(home.dir)), ...(await unfinished(home.dir)), ...(await halfWritten(home))];
  if (open.length + missing.length + left.length > 0) return [...open, ...missing, ...left];
  return [
    { check, state: "ok", line: `${home.dir} and the secrets in it are for this account alone; nothing is left over` },
  ];
}

async function openTo(path: string, mode: number): Promise<readonly Finding[]> {
  if (process.platform === "win32") return [];
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || (found.mode & 0o077) === 0) return [];
  const closed = mode.toString(8);
  const mend = async () => {
    await chmod(path, mode);
    return `closed ${path} to other accounts (mode ${closed})`;
  };
  return [{ check, state: "problem", line: `other accounts may use ${path}`, remedy: `chmod ${closed} ${path}`, mend }];
}

/** A secret file can be written where its folder is. */
async function missingFolders(secretFiles: readonly string[]): Promise<readonly Finding[]> {
  const folders = [...new Set(secretFiles.map((file) => dirname(file)))];
  const found = await Promise.all(
    folders.map((path) =>
      stat(path).then(
        () => [],
        () => [path],
      ),
    ),
  );
  return found.flat().map((path): Finding => {
    const mend = async () => {
      await mkdir(path, { recursive: true, mode: 0o700 });
      return `made ${path}`;
    };
    return {
      check,
      state: "problem",
      line: `the folder ${path}, which the configuration names files of, does not exist`,
      remedy: `mkdir -m 700 ${path}`,
      mend,
    };
  });
}

async function deadSocket(dir: string): Promise<readonly Finding[]> {
  const path = socketPath(dir);
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSocket() !== true || (await isHomeServed(dir))) return [];
  const mend = async () => {
    // It may have been taken meanwhile.
    if (await isHomeServed(dir)) return `left ${path}: Talaria listens there now`;
    await rm(path);
    return `removed ${path}, at which nobody listened`;
  };
  return [
    {
      check: "leftovers",
      state: "warning",
      line: `${path} is left by a start that was killed; the next one removes it`,
      mend,
    },
  ];
}

/** What a command left beside a file that it was replacing when it was killed or the disk was full. */
async function halfWritten({ dir, configFile }: LoadedHome["home"]): Promise<readonly Finding[]> {
  const folders = [...new Set([dir, dirname(configFile), join(dirname(configFile), "secrets")])];
  const found = await Promise.all(
    folders.map(async (folder) => (await readdir(folder).catch(() => [])).map((name) => join(folder, name))),
  );
  const left = found.flat().filter((path) => beside.test(path));
  return left.map((path): Finding => {
    const line = `${path} is left by a command that could not write it whole, unless one is under way`;
    return { check: "leftovers", state: "warning", line, remedy: `rm ${path}` };
  });
}

/** What an interrupted `restore` left beside the data folder; it may hold keys. */
async function unfinished(dir: string): Promise<readonly Finding[]> {
  const check = "leftovers";
  const state = "warning";
  if (await isReplacing(dir))
    return [
      {
        check,
        state,
        line: "a restore was interrupted while it put folders in their places: the next start finishes it",
      },
    ];
  const names = await readdir(dirname(dir)).catch(() => []);
  const ours = names.filter((name) => isLeftover(name, basename(dir))).map((name) => join(dirname(dir), name));
  const line = (path: string) =>
    `${path} is left by a restore that was killed, unless one is under way: nothing was replaced`;
  return ours.map((path): Finding => ({ check, state, line: line(path), remedy: `rm -r ${path}` }));
}
