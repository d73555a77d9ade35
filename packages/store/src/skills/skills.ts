import { GatewayError, instantOf } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { SkillStore } from "../ports/skills.ts";
import { learnedSkills } from "./learned-skills.ts";
import { skillUses } from "./skill-uses.ts";

const mostNames = 500;
const mostOfName = 20;
const mostListed = 1_000;

interface Row {
  readonly name: string;
  readonly digest: string;
  readonly accepted_at: Date;
  readonly accepted_by: string | null;
}

const forgetSkill = sqlLoneFunction<{ readonly name: string; readonly isInstalled: true }, boolean>("forget_skill");

export function createSkillStore(database: Database): SkillStore {
  return {
    ...learnedSkills(database),
    ...skillUses(database),

    async accept({ name, digest, acceptedBy }) {
      const rows = await database.query({
        text: `insert into accepted_skill (digest, name, accepted_by)
               select decode($1, 'hex'), $2, $4
                where exists (select from accepted_skill where name = $2)
                   or (select count(distinct name) from accepted_skill) < $3
               on conflict (digest) do update set accepted_at = clock_timestamp(), accepted_by = excluded.accepted_by, suspended_at = null
               returning name`,
        values: [digest, name, mostNames, acceptedBy ?? null],
      });
      if (rows.length === 0)
        throw new GatewayError(`${mostNames} skills are accepted already: remove some first`, {
          code: "invalid_request",
        });
      await database.query({
        text: `delete from accepted_skill
                where name = $1 and digest not in
                  (select digest from accepted_skill where name = $1 order by accepted_at desc, digest limit $2)`,
        values: [name, mostOfName],
      });
    },

    async accepted(digests) {
      if (digests.length === 0) return new Set();
      const rows = await database.query<{ digest: string }>({
        text: `select encode(digest, 'hex') as digest from accepted_skill
                where digest in (select decode(given, 'hex') from unnest($1::text[]) given) and suspended_at is null`,
        values: [digests.slice(0, mostListed)],
      });
      return new Set(rows.map(({ digest }) => digest));
    },

    async list() {
      const rows = await database.query<Row>({
        text: `select name, encode(digest, 'hex') as digest, accepted_at, accepted_by from accepted_skill
                where suspended_at is null
                order by accepted_at desc, digest limit ${mostListed}`,
      });
      return rows.map(({ name, digest, accepted_at, accepted_by }) => ({
        ...{ name, digest },
        acceptedAt: instantOf(accepted_at.getTime()),
        ...(accepted_by !== null && { acceptedBy: accepted_by }),
      }));
    },

    forget: (name) => forgetSkill(database)({ name, isInstalled: true }),
  };
}
