import { dirname } from "node:path";
import type { TalariaConfig } from "@talaria/config";
import type { Home } from "../home.ts";

/** The folders that a worker works in, and those that no command of its agent may read. */
export interface Folders {
  readonly workspaceFolder: string;
  readonly toolFolder: string;
  readonly skillFolder: string;
  readonly hiddenFolders: readonly string[];
}

/** `closes`: as they will be when the data folder is closed to other accounts. */
export async function foldersOf(
  { dir, toolDir, skillDir }: Pick<Home, "dir" | "toolDir" | "skillDir">,
  { backend }: Pick<TalariaConfig["sandbox"], "backend">,
  { closes = false }: { readonly closes?: boolean } = {},
): Promise<Folders> {
  const { defaultFolder } = await import("@talaria/sandbox");
  const workspaceFolder = await defaultFolder(dir, backend, { closes });
  const isApart = dirname(workspaceFolder) !== dir;
  // Beside it are those of other installations, whose commands are the same account.
  const hiddenFolders = isApart ? [dir, dirname(workspaceFolder)] : [dir];
  return { workspaceFolder, toolFolder: toolDir, skillFolder: skillDir, hiddenFolders };
}
