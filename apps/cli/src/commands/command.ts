import { lstat, mkdir, readlink, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { commandFile, commandWords } from "../shell/working-words.ts";

import { typedWord } from "./place-words.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * `talaria command install`: a link named `talaria` to this repository's script. Whatever else has that name stays, and a link of
 * another repository too, unless that is gone.
 */
export async function install(options: Options): Promise<void> {
  const link = await makeLink(options);
  const folder = typeof options.folder === "string" ? ` --folder ${typedWord(dirname(link))}` : "";
  console.log(`${link} leads to ${commandFile}: \`talaria command remove${folder}\` removes it`);
  if ((await commandWords()) === "talaria") return;
  console.log(
    "Your shell does not find it: another `talaria` comes first in PATH, or the folder is missing there. Add it:",
  );
  console.log(`  export PATH="${dirname(link)}:$PATH"`);
}

/** The link, which leads here now. */
export async function makeLink(options: Options): Promise<string> {
  const link = linkIn(options);
  const found = await lookAt(link);
  if (found === "foreign") throw new Error(foreignText(link));
  await mkdir(dirname(link), { recursive: true });
  if (found === "dead") await rm(link);
  if (found !== "ours") await symlink(commandFile, link).catch(explained(link));
  return link;
}

/** `talaria command remove`: removes the link if it leads here. */
export async function remove(options: Options): Promise<void> {
  const link = linkIn(options);
  const found = await lookAt(link);
  if (found === "foreign") throw new Error(foreignText(link));
  if (found === "none") throw new Error(`there is no ${link}: name its folder with --folder`);
  await rm(link).catch(explained(link));
  console.log(`removed: ${link}`);
}

/** Where every account of the machine finds it, if we may write there; else where one account does. */
export function commandFolder(uid: number | undefined, home: string): string {
  return uid === 0 ? "/usr/local/bin" : join(home, ".local", "bin");
}

function linkIn({ folder }: Options): string {
  const dir = typeof folder === "string" ? resolve(folder) : commandFolder(process.getuid?.(), homedir());
  return join(dir, "talaria");
}

/** A link is dead when it led to such a script of a repository that is gone. */
async function lookAt(link: string): Promise<"none" | "ours" | "dead" | "foreign"> {
  const target = await readlink(link).catch(() => undefined);
  if (target === undefined) return (await isThere(link)) ? "foreign" : "none";
  const file = resolve(dirname(link), target);
  if (file === commandFile) return "ours";
  return file.endsWith("/scripts/talaria.mjs") && !(await isThere(file)) ? "dead" : "foreign";
}

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function foreignText(link: string): string {
  return `${link} is not a link to this repository and stays as it is: remove it yourself, or choose another folder with --folder`;
}

function explained(link: string) {
  return (error: unknown): never => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Error(`cannot change ${link} (${code}): choose a folder of yours with --folder`, { cause: error });
  };
}
