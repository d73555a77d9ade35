import { derivedSchema, type EventId, GatewayError, type Instant, instantOf, type SessionKey } from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { LearnedSkill, NewSkill, SkillStore } from "../ports/skills.ts";
import type { SessionLease } from "../ports/turns.ts";

const limits = { mostVersions: 10, mostNames: 200, mostOfPlace: 30 };
const mostListed = 2_000;

type Found = { readonly skills: unknown };
type Which = { readonly name: string } & ({ readonly place: string } | { readonly version: number });
type Written =
  | { readonly version: number; readonly isNew: boolean }
  | { readonly taken: true }
  | { readonly full: true }
  | { readonly ended: true };

const learnedIn = sqlLoneFunction<{ readonly place: string }, Found>("learned_skills_in");
const listLearned = sqlLoneFunction<{ readonly most: number }, Found>("list_learned_skills");
const filesOf = sqlLoneFunction<Which, { readonly files: unknown } | null>("learned_skill_files");
const writeSkill = sqlLoneFunction<SessionLease & NewSkill & typeof limits & { readonly turnId: string }, Written>(
  "write_learned_skill",
);
const rollBack = sqlLoneFunction<
  { readonly name: string; readonly version?: number },
  { readonly from: number | null; readonly skill: unknown } | null
>("roll_back_skill");

/** What the agent has written. */
export function learnedSkills(
  database: Database,
): Pick<SkillStore, "write" | "learnedIn" | "learned" | "filesOf" | "rollBack"> {
  return {
    async write(lease, turnId, skill) {
      const answer = await writeSkill(database)({ ...lease, ...skill, ...limits, turnId });
      if ("ended" in answer)
        throw new GatewayError("the turn was ended: nothing is kept for it any more", {
          code: "aborted",
          effect: "none",
        });
      if ("taken" in answer) return "taken";
      return "full" in answer ? "full" : answer;
    },

    async learnedIn(place) {
      return read(learnedSchema.array(), (await learnedIn(database)({ place })).skills).map(toLearned);
    },

    async learned() {
      return read(learnedSchema.array(), (await listLearned(database)({ most: mostListed })).skills).map(toLearned);
    },

    async filesOf(name, which) {
      const found = await filesOf(database)({ name, ...which });
      return found === null ? undefined : read(filesSchema, found.files);
    },

    async rollBack(name, version) {
      const done = await rollBack(database)({ name, ...(version !== undefined && { version }) });
      if (done === null) return undefined;
      return { from: done.from ?? undefined, skill: toLearned(read(learnedSchema, done.skill)) };
    },
  };
}

const filesSchema = z.array(z.object({ path: z.string(), text: z.string() }));
const at = z.string().transform((text): Instant => instantOf(Date.parse(text)));

const learnedSchema = z.object({
  name: z.string(),
  version: z.int(),
  digest: z.string(),
  description: z.string(),
  place: z.string(),
  sessionKey: z.string() as unknown as z.ZodType<SessionKey, SessionKey>,
  author: z.string(),
  eventId: (z.string() as unknown as z.ZodType<EventId, EventId>).exactOptional(),
  derived: derivedSchema,
  writtenAt: at,
  isWithdrawn: z.boolean(),
  isArchived: z.boolean(),
  isSetAside: z.boolean(),
  acceptedAt: at.exactOptional(),
  acceptedBy: z.string().exactOptional(),
});

function toLearned(found: z.output<typeof learnedSchema>): LearnedSkill {
  return found;
}
