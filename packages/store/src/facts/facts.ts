import {
  archivedFactSchema,
  type ConversationId,
  factSchema,
  GatewayError,
  type Instant,
  mostArchivedFacts,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { FactReach, FactStore, FactsChange, KeptFact } from "../ports/facts.ts";
import type { SessionLease } from "../ports/turns.ts";

/** More than the limits of a subject leave room for. */
const mostSeen = 1_500;
const mostFound = 50;
const mostListed = 200;
const mostKept = 2_000;

type Found = { readonly facts: unknown };
type Changing = SessionLease & FactsChange & { readonly turnId: string; readonly mostArchived: number };
type Changed =
  | { readonly version: number }
  | { readonly done: true }
  | { readonly stale: true }
  | { readonly ended: true };

// Each waits for the row of its subject, so none shares a transaction with another one.
const factsSeen = sqlLoneFunction<FactReach & { readonly most: number }, Found>("facts_seen");
const factsArchived = sqlLoneFunction<FactReach & { readonly words: readonly string[]; readonly most: number }, Found>(
  "facts_archived",
);
const factsOf = sqlLoneFunction<
  { readonly scope: string; readonly key: string },
  Found & { readonly version: unknown; readonly settledAt: unknown }
>("facts_of");
const changeFacts = sqlLoneFunction<Changing, Changed>("change_facts");
const listFacts = sqlLoneFunction<Parameters<FactStore["list"]>[0] & { readonly most: number }, Found>("list_facts");
const factsAbout = sqlLoneFunction<
  Parameters<FactStore["about"]>[0] & { readonly session: string; readonly most: number },
  Found
>("facts_about");
const removeFact = sqlLoneFunction<{ readonly id: string }, unknown>("remove_fact");
const useFacts = sqlLoneFunction<{ readonly ids: readonly string[] }, unknown>("use_facts");

export function createFactStore(database: Database): FactStore {
  return {
    async seen({ subjects, place }) {
      const { facts } = await factsSeen(database)({ subjects, place, most: mostSeen });
      return read(factSchema.array(), facts);
    },

    async archived({ subjects, place }, words) {
      const { facts } = await factsArchived(database)({ subjects, place, words, most: mostFound });
      return read(archivedFactSchema.array(), facts);
    },

    async of({ scope, key }) {
      const { version, settledAt, facts } = await factsOf(database)({ scope, key });
      const settled = read(instantSchema.nullable(), settledAt);
      return {
        version: read(z.int(), version),
        ...(settled !== null && { settledAt: settled }),
        facts: read(factSchema.array(), facts),
      };
    },

    async change(lease, turnId, change) {
      const answer = await changeFacts(database)({ ...lease, ...change, turnId, mostArchived: mostArchivedFacts });
      if ("ended" in answer)
        throw new GatewayError("the turn was ended: nothing is kept for it any more", {
          code: "aborted",
          effect: "none",
        });
      return !("stale" in answer);
    },

    async about({ accountId, userId }) {
      const session = `${encodeURIComponent(accountId)}/`;
      const { facts } = await factsAbout(database)({ accountId, userId, session, most: mostKept });
      return read(keptSchema.array(), facts).map(toKept);
    },

    async list(query) {
      const { facts } = await listFacts(database)({ ...query, most: mostListed });
      return read(factSchema.array(), facts);
    },

    async remove(id) {
      const found = await removeFact(database)({ id });
      return found === null ? undefined : read(factSchema, found);
    },

    async used(ids) {
      if (ids.length > 0) await useFacts(database)({ ids });
    },
  };
}

const instantSchema = z.iso.datetime() as unknown as z.ZodType<Instant>;

const keptSchema = z.object({
  fact: z.union([archivedFactSchema, factSchema]),
  conversationId: (z.string() as unknown as z.ZodType<ConversationId, ConversationId>).nullable(),
  title: z.string().nullable(),
});

function toKept({ fact, conversationId, title }: z.output<typeof keptSchema>): KeptFact {
  return { fact, ...(conversationId !== null && { conversationId }), ...(title !== null && { title }) };
}
