import { access, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TriedWorkplace, tryWorkplace } from "@talaria/app-worker";
import { silentLog, systemClock } from "@talaria/protocol";
import { prepareDefaultFolder } from "@talaria/sandbox";
import type { LoadedHome } from "../load-home.ts";
import { foldersOf } from "./folders-of.ts";

export interface TryOptions {
  /** Machines of somebody else's service are tried too, which costs something. */
  readonly paid: boolean;
}

/**
 * Tries commands, files and browser as a worker of this installation would, as the account of this process. Where the folder for
 * workspaces isn't there yet, it makes none, and tries in one for temporary files. What belongs to another account is left alone.
 */
export async function tryHere(
  { home, config }: Pick<LoadedHome, "home" | "config">,
  { paid }: TryOptions,
): Promise<TriedWorkplace> {
  const owner = await stat(home.dir).then(
    ({ uid }) => uid,
    () => undefined,
  );
  if (owner !== undefined && owner !== process.getuid?.())
    return notTried(`${home.dir} belongs to another account (uid ${owner}), run this as that one`);
  // `talaria start` closes the data folder. Workers of a fleet do not, and leave files in it.
  const closes = !(await exists(join(home.dir, "workspaces")));
  const folders = await foldersOf(home, config.sandbox, { closes });
  const deps = { ...folders, config, paid, clock: systemClock, log: silentLog };
  if ((await exists(folders.workspaceFolder)) || config.sandbox.folder !== undefined) return await tryWorkplace(deps);
  const problem = await prepareDefaultFolder(folders.workspaceFolder, { makes: false }).catch((error: Error) => error);
  if (problem !== undefined) return { works: false, line: `no commands and files: ${problem.message}`, remedies: [] };
  const apart = await mkdtemp(join(tmpdir(), "talaria-trial-")).catch((error: Error) => error);
  if (typeof apart !== "string") return notTried(`${tmpdir()} can't be written (${apart.message})`);
  try {
    return await tryWorkplace({ ...deps, workspaceFolder: apart, shownFolder: folders.workspaceFolder });
  } finally {
    await rm(apart, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function notTried(why: string): TriedWorkplace {
  return { works: true, line: `commands, files and browser not tried: ${why}`, remedies: [] };
}
