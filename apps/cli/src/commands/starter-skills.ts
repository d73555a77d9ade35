import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import { readSkill, skillNames, starterFolder } from "@talaria/skills";
import { locateHome } from "../home.ts";
import { shownWord } from "../shown-word.ts";
import { withScratch } from "../skills/kept-skill.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const never = new AbortController().signal;

/** `talaria skills starter [NAME]`: what comes with Talaria, or one of it put into the data folder. Nobody has accepted it yet. */
export async function starter(options: Options, name?: string): Promise<void> {
  const known = await skillNames(starterFolder);
  if (name === undefined) {
    for (const each of known) console.log(`${each}  ${await descriptionOf(each)}`);
    console.log("Put one into the data folder: `talaria skills starter NAME`");
    return;
  }
  const shown = shownWord(name);
  if (!known.includes(name)) throw new Error(`${shown} is no starter skill: there are ${known.join(", ")}`);
  const { skillDir } = locateHome(options, process.env);
  if ((await skillNames(skillDir)).includes(name))
    throw new Error(`there is a skill ${shown} already: remove it first, with \`talaria skills remove ${name}\``);
  await withScratch(skillDir, async (scratch) => {
    await cp(join(starterFolder, name), join(scratch, name), { recursive: true });
    await rename(join(scratch, name), join(skillDir, name));
  });
  console.log(`installed: ${name}. Read it in ${join(skillDir, name)}, then run \`talaria skills accept ${name}\``);
}

async function descriptionOf(name: string): Promise<string> {
  const { skill } = await readSkill(join(starterFolder, name), never);
  return skill?.description ?? "";
}
