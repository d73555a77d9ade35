import { isAtLeast, type Role } from "@talaria/protocol";
import type { SkillStore } from "@talaria/store";

/** The names of skills that somebody of this role may ask for, each once. Of those that no owner has accepted nobody is told. */
export async function skillsFor(
  role: Role,
  { skills }: { readonly skills?: Pick<SkillStore, "list"> },
): Promise<readonly string[]> {
  if (skills === undefined || !isAtLeast(role, "member")) return [];
  return [...new Set((await skills.list()).map(({ name }) => name))].toSorted();
}
