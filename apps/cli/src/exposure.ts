import { readFile, stat } from "node:fs/promises";

/** Shorter ones occur by chance in any text. */
const leastChars = 8;

/**
 * Returns a warning when other accounts of this machine may read a configuration file that contains a secret; undefined when
 * its secrets come from files or the environment, and when there is no file. `secrets` are those in use.
 */
export async function exposureOf(file: string, secrets: readonly string[]): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || (found.mode & 0o044) === 0) return undefined;
  const text = await readFile(file, "utf8");
  if (!secrets.some((secret) => secret.length >= leastChars && text.includes(secret))) return undefined;
  return `${file} holds secrets and is open to other accounts: run chmod 600 on it, or move them to files with { file: ... }`;
}
