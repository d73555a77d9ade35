import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { addAccount, addFirstOwner, hasAccount, hasOwners, readConfigFile } from "@talaria/config";

export interface NewAccount {
  readonly name: string;
  /** Keys with dots are places in mappings. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Secrets by their key; each goes to a file of its own, and the entry refers to it. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Becomes the owner, if the file has none. */
  readonly owner?: string;
}

/** Adds the account to the configuration file, which is created when it is missing. Resolves with the secret files. */
export async function writeAccount(configFile: string, account: NewAccount): Promise<readonly string[]> {
  const { text, files } = await accountText(configFile, account);
  const folder = dirname(configFile);
  await mkdir(join(folder, "secrets"), { recursive: true, mode: 0o700 });
  for (const [path, value] of files) await replace(join(folder, path), `${value}\n`);
  await replace(configFile, text);
  return [...files.keys()].map((path) => join(folder, path));
}

export async function isTaken(configFile: string, name: string): Promise<boolean> {
  return hasAccount((await readConfigFile(configFile)) ?? "", name);
}

/** Whether whoever proves the account becomes the owner. */
export async function lacksOwner(configFile: string): Promise<boolean> {
  return !hasOwners((await readConfigFile(configFile)) ?? "");
}

/** The configuration file with the account in it, and the secret files it refers to, by their path beside the file. */
export async function accountText(configFile: string, { name, entry, secrets, owner }: NewAccount) {
  const pathOf = (key: string) => `./secrets/${name}-${key}`;
  const files = new Map(Object.entries(secrets).map(([key, value]) => [pathOf(key), value]));
  const references = Object.fromEntries(Object.keys(secrets).map((key) => [key, { file: pathOf(key) }]));
  const before = (await readConfigFile(configFile)) ?? "";
  const text = addAccount(before, configFile, name, nested({ ...entry, ...references }));
  return { text: owner === undefined ? text : addFirstOwner(text, configFile, owner), files };
}

/** `{ "imap.host": "x" }` becomes `{ imap: { host: "x" } }`. */
function nested(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flat)) {
    const path = key.split(".");
    const last = path.pop() ?? key;
    let place = result;
    for (const name of path) {
      place[name] ??= {};
      place = place[name] as Record<string, unknown>;
    }
    place[last] = value;
  }
  return result;
}

/** Readable by its owner only. Anyone reading at the same time sees either the old text or the new one. */
async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, file);
}
