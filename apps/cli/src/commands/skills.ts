import { join } from "node:path";
import { type ReadSkill, type Remark, readSkill, scanSkill, skillNames } from "@talaria/skills";
import type { LearnedSkill, SkillStore } from "@talaria/store";
import { locateHome } from "../home.ts";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";
import {
  type FoundSkill,
  learnedNamed,
  originLine,
  taintLines,
  versionIn,
  versionsOf,
} from "../skills/learned-skill.ts";
import { rowLine, skillRows } from "../skills/skill-rows.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const shownDigestChars = 12;
const never = new AbortController().signal;

/** `talaria skills`: the skills of the data folder and those that the agent has written, and whose words they are. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ skills }, { home }) => {
    const rows = await skillRows(skills, home.skillDir);
    if (options.json === true) console.log(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) console.log(`there are no skills: put one into ${home.skillDir}, see docs/skills.md`);
    else for (const line of rows.map(rowLine)) console.log(line);
  });
}

/** `talaria skills check [name]`: what is wrong with skills of the folder, and what the scanner remarks. Needs nothing that runs. */
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

/** `talaria skills show NAME [VERSION]`: what the agent has written, whole, with where it comes from. */
export function show(options: Options, name = "", version?: string): Promise<void> {
  return withStore(options, async ({ skills }, { home }) => {
    const { learned, found } = await learnedOrThrow(skills, name, version, home.skillDir);
    const lines = [`${JSON.stringify(name)}: ${originLine(learned)}`, ...taintLines(learned)];
    for (const line of [...lines, ...checkLines(found, remarksOn(found, []))]) console.log(line);
    // As JSON: they hold no control character then.
    for (const { path, text = "" } of found.skill?.files ?? [])
      for (const line of ["", `--- ${JSON.stringify(path)}`, ...text.split("\n").map(printable)]) console.log(line);
  });
}

/** `talaria skills accept NAME [VERSION]`: from now on its words, as they are now, count as the operator's. */
export function accept(options: Options, name = "", version?: string): Promise<void> {
  return withStore(options, async ({ skills }, { home }) => {
    const names = await skillNames(home.skillDir);
    const written = names.includes(name) ? undefined : await learnedOrThrow(skills, name, version, home.skillDir);
    const found = written?.found ?? (await readSkill(join(home.skillDir, name), never));
    const remarks = remarksOn(found, names);
    const about = written === undefined ? [] : [`${JSON.stringify(name)}: ${originLine(written.learned)}`];
    const taint = written === undefined ? [] : taintLines(written.learned);
    for (const line of [...about, ...taint, ...checkLines(found, remarks)]) console.log(line);
    if (found.skill === undefined) throw new Error(`${shownWord(name)} is not accepted: mend it first`);
    if (remarks.some(({ isObjection }) => isObjection))
      throw new Error(
        `${shownWord(name)} is not accepted: no honest skill has what the scanner objects to. Change it, or remove its folder`,
      );
    await skills.accept({ name: found.skill.name, digest: found.skill.digest });
    const digest = found.skill.digest.slice(0, shownDigestChars);
    console.log(
      written === undefined
        ? `accepted: ${name} ${digest}. A change of any of its files needs this again`
        : `accepted: ${name} ${digest}, version ${written.learned.version}. It is known in every conversation from its next beginning on`,
    );
  });
}

/** `talaria skills rollback NAME [VERSION]`: an earlier version of what the agent has written counts again. */
export function rollback(options: Options, name = "", version?: string): Promise<void> {
  return withStore(options, async ({ skills }) => {
    const versions = (await skills.learned()).filter((one) => one.name === name);
    if (versions.length === 0)
      throw new Error(`the agent has written no skill ${shownWord(name)}: see \`talaria skills\``);
    const done = await skills.rollBack(name, version === undefined ? undefined : versionIn(version));
    if (done === undefined)
      throw new Error(
        `${shownWord(name)} has no ${version === undefined ? "earlier version" : "such version"}: there are ${versionsOf(versions)}`,
      );
    console.log(`rolled back: ${name} to version ${done.skill.version}. ${countsWhere(done.skill)}`);
  });
}

/** `talaria skills restore NAME`: what was set aside or archived is used again. */
export function restore(options: Options, name = ""): Promise<void> {
  return withStore(options, async ({ skills }) => {
    if (!(await skills.restore(name)))
      throw new Error(`no skill ${shownWord(name)} is set aside or archived: see \`talaria skills\``);
    console.log(`brought back: ${name}`);
  });
}

function countsWhere({ name, version, acceptedAt, place }: LearnedSkill): string {
  return acceptedAt === undefined
    ? `Nobody has accepted it, so it counts in ${JSON.stringify(place)} alone: \`talaria skills accept ${name} ${version}\` makes it known elsewhere`
    : "It was accepted, so it counts everywhere";
}

async function learnedOrThrow(
  skills: Pick<SkillStore, "learned" | "filesOf">,
  name: string,
  version: string | undefined,
  folder: string,
): Promise<FoundSkill> {
  const found = await learnedNamed(skills, name, version);
  if (found !== undefined) return found;
  const names = [...(await skillNames(folder)), ...new Set((await skills.learned()).map((one) => one.name))];
  const there = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  throw new Error(`no skill is called ${shownWord(name)} in ${folder}, or was written by the agent: ${there}`);
}

function printable(line: string): string {
  return /[\p{Cc}\p{Cf}]/u.test(line.replaceAll("\t", "")) ? JSON.stringify(line) : line;
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
