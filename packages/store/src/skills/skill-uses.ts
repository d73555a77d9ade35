import { instantOf } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { SkillStore, SkillTending, SkillUse, TendedSkills } from "../ports/skills.ts";

const mostListed = 1_000;
/** Uses that one look settles. */
const mostSettled = 500;

const useSkill = sqlLoneFunction<SkillUse, unknown>("use_skill");
const restoreSkill = sqlLoneFunction<{ readonly name: string }, boolean>("restore_skill");
const tendSkills = sqlLoneFunction<SkillTending & { readonly most: number }, TendedSkills>("tend_skills");

interface Row {
  readonly name: string;
  readonly digest: string;
  readonly uses: number;
  readonly last_used_at: Date | null;
  readonly is_set_aside: boolean;
}

/** How skills do. */
export function skillUses(database: Database): Pick<SkillStore, "use" | "setAside" | "standings" | "restore" | "tend"> {
  return {
    async use(use) {
      await useSkill(database)(use);
    },

    async setAside(digests) {
      if (digests.length === 0) return new Set();
      const rows = await database.query<{ digest: string }>({
        text: `select encode(digest, 'hex') as digest from skill_standing
                where set_aside_at is not null
                  and digest in (select decode(given, 'hex') from unnest($1::text[]) given)`,
        values: [digests.slice(0, mostListed)],
      });
      return new Set(rows.map(({ digest }) => digest));
    },

    async standings() {
      const rows = await database.query<Row>({
        text: `select name, encode(digest, 'hex') as digest, uses::integer as uses, last_used_at,
                      set_aside_at is not null as is_set_aside
                 from skill_standing order by last_used_at desc nulls last, digest limit ${mostListed}`,
      });
      return rows.map(({ name, digest, uses, last_used_at, is_set_aside }) => ({
        ...{ name, digest, uses, isSetAside: is_set_aside },
        ...(last_used_at !== null && { lastUsedAt: instantOf(last_used_at.getTime()) }),
      }));
    },

    restore: (name) => restoreSkill(database)({ name }),

    tend: (tending) => tendSkills(database)({ ...tending, most: mostSettled }),
  };
}
