import { type ReadSkill, readSkills, scanSkill } from "@talaria/skills";
import type { AcceptedSkill, LearnedSkill, SkillStore } from "@talaria/store";
import { originOf } from "./kept-skill.ts";
import { learnedNamed, originLine } from "./learned-skill.ts";

/** Whose words a skill is, or why it is nobody's. */
export type SkillState = "accepted" | "not accepted" | "objected to" | "set aside" | "archived" | "unusable";

export interface SkillRow {
  readonly name: string;
  readonly state: SkillState;
  readonly digest?: string;
  readonly description?: string;
  /** Where it comes from. */
  readonly source?: string;
  /** Of what the agent has written. */
  readonly version?: number;
  readonly acceptedAt?: string;
  readonly acceptedBy?: string;
  /** Turns that have read it, as it was in any version. */
  readonly uses: number;
}

type Unused = Omit<SkillRow, "uses">;

const shownDigestChars = 12;
const dayChars = "2026-11-20".length;
const never = new AbortController().signal;

/** The skills of the data folder, then those that the agent has written. */
export async function skillRows(skills: SkillStore, skillDir: string): Promise<readonly SkillRow[]> {
  const accepted = new Map((await skills.list()).map((one) => [one.digest, one]));
  const rows: Unused[] = [];
  const standings = await skills.standings();
  for await (const one of readSkills(skillDir, never)) rows.push(await folderRow(one, skillDir, accepted));
  for (const versions of byName(await skills.learned())) {
    const row = await learnedRow(versions, skills);
    if (row !== undefined) rows.push(row);
  }
  return rows.map((row) => ({
    ...row,
    ...(standings.some(({ digest, isSetAside }) => isSetAside && digest === row.digest) && {
      state: "set aside" as const,
    }),
    uses: standings.reduce((sum, one) => (one.name === row.name ? sum + one.uses : sum), 0),
  }));
}

/** Words of whoever wrote it, as JSON: they hold no control character then. */
export function rowLine({ name, state, digest = "", description, ...row }: SkillRow): string {
  const said = description === undefined ? `run \`talaria skills check\`` : JSON.stringify(description);
  const more = [
    row.source,
    row.acceptedAt === undefined
      ? undefined
      : `accepted ${row.acceptedAt.slice(0, dayChars)} by ${row.acceptedBy === undefined ? "the operator" : JSON.stringify(row.acceptedBy)}`,
    row.uses === 0 ? undefined : `used ${row.uses === 1 ? "once" : `${row.uses} times`}`,
  ].filter((part) => part !== undefined);
  return [
    JSON.stringify(name),
    state,
    digest.slice(0, shownDigestChars),
    said,
    more.length > 0 && `(${more.join("; ")})`,
  ]
    .filter((part) => part !== "" && part !== false)
    .join("  ");
}

async function folderRow(
  { name, skill }: ReadSkill,
  skillDir: string,
  known: ReadonlyMap<string, AcceptedSkill>,
): Promise<Unused> {
  const origin = await originOf(skillDir, name).catch(() => undefined);
  const source =
    origin === undefined
      ? "in the folder"
      : `installed from ${JSON.stringify(origin.url)} at ${origin.commit.slice(0, shownDigestChars)}`;
  if (skill === undefined) return { name, state: "unusable", source };
  const accepted = known.get(skill.digest);
  const { digest, description } = skill;
  const own = { name, digest, description, source };
  if (hasObjection(skill)) return { ...own, state: "objected to" };
  return accepted === undefined
    ? { ...own, state: "not accepted" }
    : { ...own, state: "accepted", acceptedAt: accepted.acceptedAt, ...byWhom(accepted) };
}

/** Of the newest version that nobody has taken back, and besides which of the earlier ones counts for everybody. */
async function learnedRow(versions: readonly LearnedSkill[], skills: SkillStore): Promise<Unused | undefined> {
  const counting = versions.filter(({ isWithdrawn }) => !isWithdrawn);
  const [newest] = counting;
  if (newest === undefined) return undefined;
  const { name, digest, description, version, isArchived, acceptedAt } = newest;
  const forAll = counting.find((one) => one.acceptedAt !== undefined);
  const source =
    forAll === undefined || forAll === newest
      ? originLine(newest)
      : `${originLine(newest)}; elsewhere version ${forAll.version} counts`;
  const own = { name, digest, description, version, source };
  const { skill } = (await learnedNamed(skills, name, String(version)))?.found ?? {};
  if (isArchived) return { ...own, state: "archived" };
  if (skill === undefined) return { ...own, state: "unusable" };
  if (hasObjection(skill)) return { ...own, state: "objected to" };
  return acceptedAt === undefined
    ? { ...own, state: "not accepted" }
    : { ...own, state: "accepted", acceptedAt, ...byWhom(newest) };
}

function hasObjection(skill: NonNullable<ReadSkill["skill"]>): boolean {
  return scanSkill(skill).some(({ isObjection }) => isObjection);
}

function byWhom({ acceptedBy }: Pick<AcceptedSkill, "acceptedBy"> | Pick<LearnedSkill, "acceptedBy">) {
  return acceptedBy === undefined ? {} : { acceptedBy };
}

function byName(versions: readonly LearnedSkill[]): readonly (readonly LearnedSkill[])[] {
  const names = [...new Set(versions.map(({ name }) => name))];
  return names.map((name) => versions.filter((one) => one.name === name));
}
