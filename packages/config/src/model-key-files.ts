import { dirname, join, relative, resolve } from "node:path";
import { isBelow } from "./issue.ts";
import type { FileReference } from "./references.ts";

/** A secret file that the configuration names. */
export interface KeyFile {
  /** Absolute. */
  readonly path: string;
  /** What `talaria secret set` calls it. Absent: it is elsewhere. */
  readonly secret?: string;
}

/** The secret files with the keys of each model that takes some from files, in the order of the configuration. */
export function modelKeyFiles(
  configFile: string,
  files: readonly FileReference[],
): Readonly<Record<string, readonly KeyFile[]>> {
  const folder = dirname(configFile);
  const ofModels = files.filter(({ path }) => isBelow(path, ["models"]) && path[2] === "apiKey");
  const named = Map.groupBy(ofModels, ({ path }) => String(path[1]));
  return Object.fromEntries(
    [...named].map(([name, found]) => [name, found.map(({ file }) => toKeyFile(folder, file))]),
  );
}

/** `folder` is that of the configuration file. */
export function toKeyFile(folder: string, file: string): KeyFile {
  const path = resolve(folder, file);
  const secret = relative(join(folder, "secrets"), path);
  return /^[A-Za-z0-9][\w.-]{0,127}$/.test(secret) ? { path, secret } : { path };
}
