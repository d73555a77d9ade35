import { join } from "node:path";
import { readSkill, scanSkill, skillNames } from "@talaria/skills";
import { locateHome } from "../home.ts";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";
import { difference } from "../skills/difference.ts";
import { fetched, originOf, place, removeKept, withScratch } from "../skills/kept-skill.ts";
import { checkedCommit, parseSource, type SkillSource } from "../skills/skill-source.ts";
import { checkLines } from "./skills.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const never = new AbortController().signal;

/** `talaria skills install GIT-URL[#path] --commit SHA`: puts a skill into the data folder. Nobody has accepted it yet. */
export async function install(options: Options, address = ""): Promise<void> {
  const { skillDir } = locateHome(options, process.env);
  const source = parseSource(address, options.commit);
  const name = nameOf(source);
  const names = await skillNames(skillDir);
  if (names.includes(name))
    throw new Error(`there is a skill ${shownWord(name)} already: use \`talaria skills update\`, or remove it`);
  await withScratch(skillDir, async (scratch) => {
    const found = await fetched(source, name, scratch);
    for (const line of checkLines(found, found.skill === undefined ? [] : scanSkill(found.skill, names)))
      console.log(line);
    if (found.skill === undefined) throw new Error("nothing was installed: it is no skill that can be used");
    const { digest } = found.skill;
    await place(found.folder, name, { ...source, digest }, skillDir);
    console.log(
      `installed: ${name} ${digest.slice(0, 12)}. Read it in ${join(skillDir, name)}, then run \`talaria skills accept ${name}\``,
    );
  });
}

/** `talaria skills update NAME --commit SHA`: shows what another commit changes, and with `--yes` puts it there. */
export async function update(options: Options, name = ""): Promise<void> {
  const { skillDir } = locateHome(options, process.env);
  const names = await skillNames(skillDir);
  const origin = names.includes(name) ? await originOf(skillDir, name) : undefined;
  if (origin === undefined)
    throw new Error(`${shownWord(name)} was not installed from a repository: see \`talaria skills\``);
  const { skill: before } = await readSkill(join(skillDir, name), never);
  const { digest: _, ...from } = origin;
  const source: SkillSource = { ...from, commit: checkedCommit(options.commit) };
  if (before === undefined || before.digest !== origin.digest)
    throw new Error(
      `${shownWord(name)} has been changed since it was installed: keep what you need of it, remove it and install it again`,
    );
  await withScratch(skillDir, async (scratch) => {
    const found = await fetched(source, name, scratch);
    for (const line of checkLines(found, found.skill === undefined ? [] : scanSkill(found.skill, names)))
      console.log(line);
    if (found.skill === undefined) throw new Error("nothing was changed: it is no skill that can be used any more");
    const lines = difference(before, found.skill);
    for (const line of lines.length === 0 ? ["no file changes"] : lines) console.log(line);
    if (options.yes !== true) return console.log("nothing was changed: run it again with --yes to put it there");
    await place(found.folder, name, { ...source, digest: found.skill.digest }, skillDir);
    console.log(
      `updated: ${name} ${found.skill.digest.slice(0, 12)}. It counts as accepted where \`talaria skills\` says so`,
    );
  });
}

/** `talaria skills remove NAME`: its folder, and whatever was accepted under this name. */
export function remove(options: Options, name = ""): Promise<void> {
  return withStore(options, async ({ skills }, { home }) => {
    const isThere = (await skillNames(home.skillDir)).includes(name);
    const wasAccepted = await skills.forget(name);
    if (!isThere && !wasAccepted) throw new Error(`no skill is called ${shownWord(name)}: see \`talaria skills\``);
    if (isThere) await removeKept(home.skillDir, name);
    console.log(`removed: ${name}`);
  });
}

/** The last part of the folder, or of the repository's address. */
function nameOf({ url, path }: SkillSource): string {
  const last = (path === "" ? url.replace(/\/$/, "").replace(/\.git$/, "") : path).split(/[/:]/).at(-1) ?? "";
  if (/^[\p{L}\p{N}][\p{L}\p{N}-]*$/u.test(last)) return last;
  throw new Error(`${shownWord(last)} can't be a skill's name: name the skill's folder behind #, such as #skills/tidy`);
}
