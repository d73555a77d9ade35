import { type ReadSkill, storedSkill } from "@talaria/skills";
import type { LearnedSkill, SkillStore } from "@talaria/store";

/** A version of a skill that the agent has written, with its files. */
export interface FoundSkill {
  readonly learned: LearnedSkill;
  readonly found: ReadSkill;
}

/** The version that is named, or the newest that nobody has taken back. Undefined: the agent has written none of this name. Throws a sentence. */
export async function learnedNamed(
  skills: Pick<SkillStore, "learned" | "filesOf">,
  name: string,
  version?: string,
): Promise<FoundSkill | undefined> {
  const versions = (await skills.learned()).filter((one) => one.name === name);
  if (versions.length === 0) return undefined;
  const number = version === undefined ? undefined : versionIn(version);
  const learned = versions.find((one) => (number === undefined ? !one.isWithdrawn : one.version === number));
  const files = learned && (await skills.filesOf(name, { version: learned.version }));
  if (learned === undefined || files === undefined)
    throw new Error(`${JSON.stringify(name)} has no such version: there are ${versionsOf(versions)}`);
  return { learned, found: storedSkill(name, files) };
}

/** Throws a sentence where it is no number. */
export function versionIn(given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new Error(`${JSON.stringify(given)} is no version: it is a number, as \`talaria skills\` shows it`);
}

export function versionsOf(versions: readonly LearnedSkill[]): string {
  return versions
    .map(({ version }) => version)
    .toReversed()
    .join(", ");
}

/** Where it comes from, in words of ours; names of others as JSON. */
export function originLine({ version, place, author, derived, writtenAt }: LearnedSkill): string {
  const by = derived.askers.find(({ sender }) => sender.userId === author)?.sender.displayName ?? author;
  return `version ${version}, written by the agent in ${JSON.stringify(place)} for ${JSON.stringify(by)} on ${writtenAt.slice(0, "2026-11-20".length)}`;
}

/** What whoever accepts it has to know of what it was made of. */
export function taintLines({ name, derived }: LearnedSkill): readonly string[] {
  const sources = derived.taint.map(({ kind, name: of }) => `${kind} ${JSON.stringify(of)}`);
  if (sources.length === 0) return [];
  return [
    `${JSON.stringify(name)}: written after the agent had read what others may have written (${sources.join(", ")}): it may hold their words`,
  ];
}
