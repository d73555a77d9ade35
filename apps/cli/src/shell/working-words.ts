import { access, realpath } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the shell's `talaria` leads to where it is ours. An image has no such file: its entry point is the command. */
export const commandFile = fileURLToPath(new URL("../../../../scripts/talaria.mjs", import.meta.url));

/**
 * A text for a person at a terminal, in which each command that begins with `talaria` can be run as it stands: by that word
 * where PATH leads to this repository with it, else with the path of its file.
 */
export async function workingWords(text: string, path = process.env.PATH ?? ""): Promise<string> {
  const command = /`talaria(?=[` ])/g;
  if (!command.test(text)) return text;
  const words = await commandWords(path);
  return text.replace(command, () => `\`${words}`);
}

/** The same for whoever reads at `stream`: what is not a terminal gets the text as it is, so that programs can rely on it. */
export async function wordsAt(stream: { readonly isTTY?: boolean }, text: string): Promise<string> {
  return stream.isTTY === true ? await workingWords(text) : text;
}

/** What makes `talaria` a command of the shell; undefined where it is one, or where there is nothing to install. */
export async function commandOffer(path = process.env.PATH ?? ""): Promise<string | undefined> {
  const words = await commandWords(path);
  return words === "talaria" ? undefined : `to call it \`talaria\` everywhere, run once: ${words} command install`;
}

/** The first words of a command of ours, as a shell reads them. */
export async function commandWords(path = process.env.PATH ?? ""): Promise<string> {
  if (await isOnPath(path)) return "talaria";
  const isThere = await access(commandFile).then(
    () => true,
    () => false,
  );
  return isThere ? `node ${shellWord(commandFile)}` : "talaria";
}

/** Whether the first `talaria` of PATH is the one of this repository. */
async function isOnPath(path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    const found = folder === "" ? undefined : await realpath(join(folder, "talaria")).catch(() => undefined);
    if (found !== undefined) return found === (await realpath(commandFile).catch(() => undefined));
  }
  return false;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
