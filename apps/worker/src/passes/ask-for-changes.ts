import { askBriefly, type BriefAnswer, type CountedUsage, type ModelPort } from "@talaria/agent";
import type { ProposedChange } from "@talaria/memory";
import { brandAs, type Clock, type SessionKey } from "@talaria/protocol";
import { z } from "zod";

const limits = { outputTokens: 800, mostChars: 8_000, ms: 60_000 };
/** Further ones are left out. */
const mostChanges = 5;

export interface AskedForChanges {
  readonly model: ModelPort;
  readonly sessionKey: SessionKey;
  readonly instructions: string;
  readonly text: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** `unreadable`: proposals that are none. */
export type ProposedChanges = (
  | { readonly changes: readonly ProposedChange[]; readonly unreadable: number }
  | { readonly failure: string }
) & { readonly usage?: CountedUsage; readonly servedBy?: string };

/** Asks once what is to be changed, within 60 s and 800 tokens. Never throws. */
export async function askForChanges(asked: AskedForChanges): Promise<ProposedChanges> {
  const { model, sessionKey, instructions, text, clock, signal } = asked;
  const request = {
    system: instructions,
    messages: [{ role: "user" as const, content: text }],
    tools: [],
    maxOutputTokens: limits.outputTokens,
    // Nothing else is asked that begins like it.
    cacheKey: brandAs<SessionKey>(`${sessionKey} memory`),
  };
  const answer = await askBriefly(model, request, { ...limits, guesses: true }, clock, signal);
  return { ...("failure" in answer ? { failure: answer.failure } : readChanges(answer.said)), ...costIn(answer) };
}

function costIn(answer: BriefAnswer): Pick<ProposedChanges, "usage" | "servedBy"> {
  const { usage } = answer;
  const servedBy = "servedBy" in answer ? answer.servedBy : undefined;
  return { ...(usage && { usage }), ...(servedBy !== undefined && { servedBy }) };
}

function readChanges(said: string): { changes: ProposedChange[]; unreadable: number } | { failure: string } {
  // Some models put a fence around it, or a word before it.
  const json = said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1);
  const { data } = answerSchema.safeParse(parsed(json));
  if (data === undefined) return { failure: "the answer is not the JSON that was asked for" };
  const read = data.changes.slice(0, mostChanges).map((one) => changeSchema.safeParse(one).data);
  const changes = read.filter((one) => one !== undefined);
  return { changes, unreadable: data.changes.length - changes.length };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const answerSchema = z.strictObject({ changes: z.array(z.unknown()) });

const lines = z.array(z.int().positive()).min(1).max(20);
const text = z.string().max(2_000);
const basis = z.enum(["said", "inferred"]).default("inferred");
const id = z.union([z.string(), z.int().transform(String)]).pipe(z.string().regex(/^[1-9]\d{0,15}$/));

const changeSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("add"), text, lines, basis }),
  z.strictObject({ action: z.literal("replace"), id, text, lines, basis }),
  z.strictObject({ action: z.literal("remove"), id, lines }),
]) satisfies z.ZodType<ProposedChange>;
