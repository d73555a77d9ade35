import {
  conversationSchema,
  type Instant,
  mostArchivedFacts,
  type ProcessId,
  type SessionKey,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { PassCost, PassLease, PassStore, PassWrites } from "../ports/passes.ts";
import type { StoredEntry } from "../ports/turns.ts";
import { type UsesOf, usesOf } from "../spending/uses.ts";
import { readReached } from "../turns/turn-calls.ts";

const mostEntries = 2_000;
const mostBytes = 4_194_304;
const mostMemories = 20;
/** Whatever kills its workers is not taken up for ever. */
const mostTries = 4;
const mostFailures = 2;
const againMs = 60_000;

type Cost = UsesOf & Omit<PassCost, "answer"> & { readonly wasAsked: boolean };
type Finish = PassLease &
  Partial<Cost> & {
    readonly subject: Omit<PassWrites, "writes"> | null;
    readonly writes: PassWrites["writes"];
    readonly mostArchived: number;
  };
type Claimed =
  | { readonly sessionKey: SessionKey; readonly fence: number; readonly until: number }
  | { readonly givenUp: SessionKey };

const lost = { conflict: "another worker goes through this conversation now" };

// Each waits for rows that others change, so none shares a transaction with another one.
const claimPass = sqlLoneFunction<
  { readonly holder: ProcessId; readonly perDay: number; readonly mostTries: number },
  Claimed | null
>("claim_pass", lost);
const readPass = sqlLoneFunction<PassLease & Readonly<Record<"entries" | "bytes" | "memories", number>>, unknown>(
  "read_pass",
  lost,
);
const finishPass = sqlLoneFunction<Finish, { readonly stale?: true }>("finish_pass", lost);
const failPass = sqlLoneFunction<
  PassLease & Cost & { readonly mostFailures: number; readonly againMs: number },
  { readonly givenUp: boolean }
>("fail_pass", lost);
const postponePass = sqlLoneFunction<PassLease & { readonly againMs: number }, unknown>("postpone_pass", lost);

export function createPassStore(database: Database): PassStore {
  const reached = readReached(database);
  return {
    async claim(holder, perDay) {
      const claimed = await claimPass(database)({ holder, perDay, mostTries });
      if (claimed === null) return undefined;
      return "givenUp" in claimed ? claimed : { ...claimed, holder };
    },

    async read(lease) {
      const found = await readPass(database)({
        ...lease,
        entries: mostEntries,
        bytes: mostBytes,
        memories: mostMemories,
      });
      const { since, entries, ...whole } = read(reading, found);
      return {
        ...whole,
        entries: entries.map(({ id, at, body }) => ({ entry: body, at, isNew: id > since })),
      };
    },

    reached: async ({ sessionKey }, spenders) => (await reached({ sessionKey, spenders })).reached,

    async finish(lease, written, cost) {
      const { writes = [], ...subject } = written ?? {};
      const call = { ...lease, ...(cost && costOf(cost)), mostArchived: mostArchivedFacts, writes };
      return !(await finishPass(database)({ ...call, subject: subjectOf(subject) })).stale;
    },

    fail: async (lease, cost) =>
      (await failPass(database)({ ...lease, ...costOf(cost), mostFailures, againMs })).givenUp,

    async postpone(lease, ms) {
      await postponePass(database)({ ...lease, againMs: Math.max(0, Math.ceil(ms)) });
    },
  };
}

function subjectOf(subject: Partial<Omit<PassWrites, "writes">>): Finish["subject"] {
  const { scope, key, version } = subject;
  return scope === undefined || key === undefined || version === undefined ? null : { scope, key, version };
}

function costOf({ answer, ...cost }: PassCost): Cost {
  return { ...cost, ...usesOf(answer === undefined ? [] : [answer]), wasAsked: true };
}

const storedEntry: z.ZodType<StoredEntry> = z.looseObject({ kind: z.string() });

const reading = z.object({
  conversation: conversationSchema,
  since: z.number(),
  isWhole: z.boolean(),
  prompts: z.array(z.string()),
  entries: z.array(
    z.object({ id: z.number(), at: z.iso.datetime() as unknown as z.ZodType<Instant>, body: storedEntry }),
  ),
});
