import { type Listed, renderList } from "./catalogue.ts";

const mostFound = 10;

/** What the model reads of skills that fit its words. Undefined: none does. */
export function fittingSkills(skills: readonly Listed[], words: string): string | undefined {
  const found = findSkills(skills, words);
  return found.length === 0 ? undefined : `No skill has this name. These fit:\n\n${renderList(found)}`;
}

/** The skills that hold most of the words, in name or description; those of a trusted one alone count, since it alone is shown. */
export function findSkills<Skill extends Listed>(skills: readonly Skill[], words: string): readonly Skill[] {
  const sought = [...new Set(words.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])];
  return skills
    .map((skill) => ({ skill, hits: hitsIn(skill, sought) }))
    .filter(({ hits }) => hits > 0)
    .toSorted((one, other) => other.hits - one.hits || (one.skill.name < other.skill.name ? -1 : 1))
    .slice(0, mostFound)
    .map(({ skill }) => skill);
}

function hitsIn({ name, description, isTrusted }: Listed, sought: readonly string[]): number {
  const text = `${name} ${isTrusted ? description : ""}`.toLowerCase();
  return sought.filter((word) => text.includes(word)).length;
}
