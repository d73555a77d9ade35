import { join } from "node:path";
import { type ReadSkill, type Remark, readSkill, readSkills, scanSkill, skillNames } from "@talaria/skills";
import { locateHome } from "../home.ts";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const shownDigestChars = 12;
const never = new AbortController().signal;

/** `talaria skills`: the skills of the data folder, and whose words they are. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ skills }, { home }) => {
    const found: (Row & { readonly isSound: boolean })[] = [];
    for await (const one of readSkills(home.skillDir, never)) found.push(rowOf(one));
    const accepted = await skills.accepted(found.flatMap(({ digest }) => digest ?? []));
    const rows = found.map(({ isSound, ...row }) =>
      isSound && accepted.has(row.digest ?? "") ? { ...row, state: "accepted" as const } : row,
    );
    if (options.json === true) console.log(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) console.log(`there are no skills: put one into ${home.skillDir}, see docs/skills.md`);
    else for (const line of rows.map(rowLine)) console.log(line);
  });
}

/** `talaria skills check [name]`: what is wrong with skills, and what the scanner remarks. Needs nothing that runs. */
export async function check(options: Options, name?: string): Promise<void> {
  const { skillDir } = locateHome(options, process.env);
  const names = name === undefined ? await skillNames(skillDir) : [await existing(skillDir, name)];
  if (names.length === 0) console.log(`there are no skills: put one into ${skillDir}, see docs/skills.md`);
  for (const one of names) {
    const found = await readSkill(join(skillDir, one), never);
    const remarks = remarksOn(found, names);
    for (const line of checkLines(found, remarks)) console.log(line);
    if (found.skill === undefined || remarks.some(({ isObjection }) => isObjection)) process.exitCode = 1;
  }
}

/** `talaria skills accept NAME`: from now on its words, as they are now, count as the operator's. */
export function accept(options: Options, name = ""): Promise<void> {
  return withStore(options, async ({ skills }, { home }) => {
    const names = await skillNames(home.skillDir);
    const found = await readSkill(join(home.skillDir, await existing(home.skillDir, name)), never);
    const remarks = remarksOn(found, names);
    for (const line of checkLines(found, remarks)) console.log(line);
    if (found.skill === undefined) throw new Error(`${shownWord(name)} is not accepted: mend it first`);
    if (remarks.some(({ isObjection }) => isObjection))
      throw new Error(
        `${shownWord(name)} is not accepted: no honest skill has what the scanner objects to. Change it, or remove its folder`,
      );
    await skills.accept({ name: found.skill.name, digest: found.skill.digest });
    console.log(
      `accepted: ${name} ${found.skill.digest.slice(0, shownDigestChars)}. A change of any of its files needs this again`,
    );
  });
}

async function existing(folder: string, name: string): Promise<string> {
  const names = await skillNames(folder);
  if (names.includes(name)) return name;
  const there = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  throw new Error(`no skill is called ${shownWord(name)} in ${folder}: ${there}`);
}

function remarksOn({ skill }: ReadSkill, names: readonly string[]): readonly Remark[] {
  return skill === undefined ? [] : scanSkill(skill, names);
}

/** Whose words a skill is, or why it is nobody's. */
export type SkillState = "accepted" | "not accepted" | "objected to" | "unusable";

interface Row {
  readonly name: string;
  readonly state: SkillState;
  readonly digest?: string;
  readonly description?: string;
}

/** As far as it is known without the database. */
function rowOf({ name, skill }: ReadSkill): Row & { readonly isSound: boolean } {
  if (skill === undefined) return { name, state: "unusable", isSound: false };
  const isSound = !scanSkill(skill).some(({ isObjection }) => isObjection);
  const { digest, description } = skill;
  return { name, state: isSound ? "not accepted" : "objected to", digest, description, isSound };
}

/** Words of whoever wrote it, as JSON: they hold no control character then. */
export function rowLine({ name, state, digest = "", description }: Row): string {
  const said = description === undefined ? `run \`talaria skills check\`` : JSON.stringify(description);
  return [JSON.stringify(name), state, digest.slice(0, shownDigestChars), said]
    .filter((part) => part !== "")
    .join("  ");
}

/** First what is wrong, then what the scanner says; one line where there is nothing. */
export function checkLines({ name, skill, faults }: ReadSkill, remarks: readonly Remark[]): readonly string[] {
  const shown = JSON.stringify(name);
  const lines = [
    ...faults.map(({ message, isFatal }) => `${shown}: ${isFatal ? "unusable" : "remark"}: ${message}`),
    ...remarks.map(
      ({ isObjection, file, line, rule, why }) =>
        `${shown}: ${isObjection ? "OBJECTION" : "remark"}: ${JSON.stringify(file)} line ${line}: ${why} (${rule})`,
    ),
  ];
  return lines.length > 0 || skill === undefined ? lines : [`${shown}: nothing to remark`];
}
