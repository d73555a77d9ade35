import { dirname } from "node:path";
import { isBelow } from "./issue.ts";
import { type KeyFile, toKeyFile } from "./model-key-files.ts";
import type { FileReference } from "./references.ts";

/** A secret file of an account. */
export interface AccountKeyFile extends KeyFile {
  /** The setting that it stands for: `token`, `imap.password`. */
  readonly key: string;
}

/** The secret files of each account that takes some from files, in the order of the configuration. */
export function accountKeyFiles(
  configFile: string,
  files: readonly FileReference[],
): Readonly<Record<string, readonly AccountKeyFile[]>> {
  const folder = dirname(configFile);
  const ofAccounts = files.filter(({ path }) => isBelow(path, ["accounts"]) && path.length > 2);
  const named = Map.groupBy(ofAccounts, ({ path }) => String(path[1]));
  return Object.fromEntries(
    [...named].map(([name, found]) => [
      name,
      found.map(({ path, file }) => ({ key: path.slice(2).join("."), ...toKeyFile(folder, file) })),
    ]),
  );
}
