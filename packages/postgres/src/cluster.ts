import { randomBytes, randomUUID } from "node:crypto";
import {
  appendFile,
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { dataArgument, ownerOf, type RunAs, spawnAs } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { corrupted, explainServerOutput, PostgresError } from "./errors.ts";
import { outcomeOf } from "./program.ts";

const majorVersion = "18";
export const userName = "talaria";

/** What lies in a data folder. Everything is private to the account that runs us, `cluster` to the one that runs PostgreSQL. */
export interface DataFolder {
  readonly root: string;
  readonly cluster: string;
  readonly passwordFile: string;
  readonly portFile: string;
  readonly startLog: string;
  readonly lockFile: string;
}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    cluster: join(root, "cluster"),
    passwordFile: join(root, "password"),
    portFile: join(root, "port"),
    startLog: join(root, "start.log"),
    lockFile: join(root, "start.lock"),
  };
}

/**
 * Makes sure a sound, durable cluster of our PostgreSQL version is in the folder and belongs to the account that will run
 * it. A first initialisation that is interrupted leaves nothing behind that a later one trips over.
 */
export async function prepareCluster(
  folder: DataFolder,
  binaries: Binaries,
  runAs: RunAs,
  signal: AbortSignal | undefined,
): Promise<void> {
  await removeUnfinished(folder);
  const created = !(await isThere(folder.cluster));
  if (created) await createCluster(folder, binaries, runAs, signal);
  await checkCluster(folder);
  await giveTo(folder.cluster, runAs);
}

/** Throws unless the folder holds a whole cluster of our major version. */
export async function checkCluster(folder: DataFolder): Promise<void> {
  const version = await readFile(join(folder.cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version === undefined) throw corrupted(folder.root, "the file PG_VERSION is missing");
  if (version.trim() !== majorVersion) {
    throw new PostgresError(
      `The data in ${folder.root} was written by PostgreSQL ${version.trim()}, and this release uses ${majorVersion}; run the release that wrote it (docs/operations.md says how to take the data along), or move the folder away to start with an empty database.`,
      { problem: "other_major" },
    );
  }
  const required = ["global/pg_control", "postgresql.conf", "base", "pg_wal"];
  for (const name of required) {
    if (!(await isThere(join(folder.cluster, name)))) throw corrupted(folder.root, `the file ${name} is missing`);
  }
  if (!(await isThere(folder.passwordFile))) throw corrupted(folder.root, "the file password is missing");
}

async function createCluster(
  folder: DataFolder,
  binaries: Binaries,
  runAs: RunAs,
  signal: AbortSignal | undefined,
): Promise<void> {
  const unfinished = `${folder.cluster}.${randomUUID()}.new`;
  const password = randomBytes(24).toString("base64url");
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await giveTo(unfinished, runAs);
    await writeFile(folder.passwordFile, password, { mode: 0o600 });
    await runInitdb(folder, unfinished, binaries, runAs, signal);
    await appendFile(join(unfinished, "postgresql.conf"), "include 'talaria.conf'\n");
    await rename(unfinished, folder.cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Ends with every file synced to disk. initdb gets the password as an open file: its name may lie behind closed folders. */
async function runInitdb(
  folder: DataFolder,
  unfinished: string,
  binaries: Binaries,
  runAs: RunAs,
  signal: AbortSignal | undefined,
): Promise<void> {
  const passwordFile = `${unfinished}.password`;
  await copyFile(folder.passwordFile, passwordFile);
  await giveTo(passwordFile, runAs);
  const password = await open(passwordFile, "r");
  try {
    const child = spawnAs(
      runAs,
      binaries.initdb,
      [
        ...["--pgdata", dataArgument(runAs, unfinished)],
        ...["--pwfile", process.platform === "win32" ? passwordFile : "/dev/stdin"],
        ...["--username", userName, "--auth", "scram-sha-256"],
        ...["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
        ...["--wal-segsize", "4", "--no-instructions"],
      ],
      { cwd: unfinished, stdio: [password.fd, "pipe", "pipe"], ...(signal === undefined ? {} : { signal }) },
    );
    const { code, output } = await outcomeOf(child);
    if (code !== 0) throw explainServerOutput(output, folder.root);
  } finally {
    await password.close();
    await rm(passwordFile, { force: true });
  }
}

async function removeUnfinished(folder: DataFolder): Promise<void> {
  const names = await readdir(folder.root);
  const unfinished = names.filter((name) => /^cluster\..*\.new/.test(name));
  for (const name of unfinished) await rm(join(folder.root, name), { recursive: true, force: true });
}

/** Root may have run PostgreSQL another way last time; then the files change hands. */
async function giveTo(path: string, runAs: RunAs): Promise<void> {
  const owner = ownerOf(runAs);
  if (owner === undefined || (await stat(path)).uid === owner.uid) return;
  await changeOwner(path, owner);
}

/** The top comes last: an interrupted change is seen there and done again. */
async function changeOwner(path: string, owner: { readonly uid: number; readonly gid: number }): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  if (found.isDirectory()) {
    for (const name of await readdir(path)) await changeOwner(join(path, name), owner);
    await chmod(path, 0o700);
  }
  await chown(path, owner.uid, owner.gid);
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}
