import { accountPlatform, addAccount, addFirstOwner, allowPerson, hasOwners, readConfigFile } from "@talaria/config";
import { writeFiles } from "./write-files.ts";

export interface NewAccount {
  readonly name: string;
  /** Keys with dots are places in mappings. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Secrets by their key; each goes to a file of its own, and the entry refers to it. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Who is let in besides those that are already. */
  readonly allowed?: string;
  /** Becomes the owner, if the file has none. */
  readonly owner?: string;
}

/** Adds the account to the configuration file, which is created when it is missing. Resolves with the secret files. */
export async function writeAccount(configFile: string, account: NewAccount): Promise<readonly string[]> {
  return await writeFiles(configFile, await accountText(configFile, account));
}

/** What an account of this name is set up for. Undefined: there is none; empty: for nothing that can be told. */
export async function platformOf(configFile: string, name: string): Promise<string | undefined> {
  return accountPlatform((await readConfigFile(configFile)) ?? "", name);
}

/** Whether whoever proves the account becomes the owner. */
export async function lacksOwner(configFile: string): Promise<boolean> {
  return !hasOwners((await readConfigFile(configFile)) ?? "");
}

/** The configuration file with the account in it, and the secret files it refers to, by their path beside the file. */
export async function accountText(configFile: string, { name, entry, secrets, allowed, owner }: NewAccount) {
  const pathOf = (key: string) => `./secrets/${name}-${key}`;
  const files = new Map(Object.entries(secrets).map(([key, value]) => [pathOf(key), value]));
  const references = Object.fromEntries(Object.keys(secrets).map((key) => [key, { file: pathOf(key) }]));
  const before = (await readConfigFile(configFile)) ?? "";
  const added = addAccount(before, configFile, name, nested({ ...entry, ...references }));
  const text = allowed === undefined ? added : allowPerson(added, configFile, name, allowed);
  return { text: owner === undefined ? text : addFirstOwner(text, configFile, owner), files };
}

/** `{ "imap.host": "x" }` becomes `{ imap: { host: "x" } }`. */
export function nested(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
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
