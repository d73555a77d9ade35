import { instantOf, senderSchema, type TurnId } from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import { sqlFunction, sqlLoneFunction } from "../database/sql-function.ts";
import type { Memory, MemoryStore, MemoryTurn, StoredContext, UnusedTerms } from "../ports/memories.ts";

type MessageCall = Parameters<MemoryStore["turnOf"]>[1] & SessionCall;
type SessionCall = { readonly sessionKey: string };

const readMemory = sqlFunction<SessionCall, unknown>("read_memory");
const listMemories = sqlFunction<SessionCall & { readonly most: number }, { readonly memories: unknown }>(
  "list_memories",
);
const readTurns = sqlFunction<SessionCall & { readonly most: number }, { readonly turns: unknown }>(
  "read_memory_turns",
);
const readTurnOf = sqlFunction<MessageCall, { readonly turn: unknown }>("read_turn_of");

/** Their sessions stay locked until all are ended. */
const mostLooked = 50;
const endUnused = sqlLoneFunction<UnusedTerms & { readonly most: number }, Record<"looked" | "ended", number>>(
  "end_unused",
);

export function createMemoryStore(database: Database): MemoryStore {
  const current = readMemory(database);
  const list = listMemories(database);
  const turns = readTurns(database);
  const turnOf = readTurnOf(database);
  return {
    async current(sessionKey) {
      const found = await current({ sessionKey });
      return found === null ? undefined : read(currentMemory, found);
    },
    async endUnused(terms) {
      const { looked, ended } = await endUnused(database)({ ...terms, most: mostLooked });
      return { ended, isMore: looked >= mostLooked };
    },
    list: async (sessionKey, most) => read(memory.array(), (await list({ sessionKey, most })).memories),
    turns: async (sessionKey, most) => read(memoryTurn.array(), (await turns({ sessionKey, most })).turns),
    turnOf: async (sessionKey, { accountId, conversationId, messageId }) => {
      const { turn } = await turnOf({ sessionKey, accountId, conversationId, messageId });
      return turn === null ? undefined : read(memoryTurn, turn);
    },
  };
}

const tokens = z.number().nonnegative();

const context: z.ZodType<StoredContext> = z.object({
  tokens,
  windowTokens: tokens,
  parts: z.object({
    prompt: tokens,
    tools: tokens,
    words: tokens,
    answers: tokens,
    results: tokens,
    checkpoint: tokens,
  }),
  compressions: z.number().int().nonnegative(),
  at: z.iso.datetime() as unknown as z.ZodType<StoredContext["at"]>,
});

const memory = z
  .object({
    number: z.int(),
    isCurrent: z.boolean(),
    title: z.string().nullable(),
    beginning: z.string().nullable(),
    turns: z.int().nullable(),
    // Another release may say it differently; the next turn says it anew.
    context: context.nullable().catch(null),
    compact: z.boolean(),
    lastUsedAt: z.number().nullable(),
  })
  .transform(
    ({ title, beginning, turns, context: filled, lastUsedAt, ...row }): Memory => ({
      ...row,
      ...(title === null ? {} : { title }),
      ...(beginning === null ? {} : { beginning }),
      ...(turns === null ? {} : { turns }),
      ...(filled === null ? {} : { context: filled }),
      ...(lastUsedAt === null ? {} : { lastUsedAt: instantOf(lastUsedAt) }),
    }),
  );

const currentMemory = z.object({ isBusy: z.boolean(), memory });

const memoryTurn: z.ZodType<MemoryTurn> = z.object({
  turnId: z.string() as unknown as z.ZodType<TurnId>,
  asked: z.array(
    z.object({
      words: z
        .string()
        .nullable()
        .transform((words) => words ?? ""),
      sender: senderSchema,
    }),
  ),
});
