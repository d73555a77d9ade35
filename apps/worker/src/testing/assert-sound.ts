import assert from "node:assert/strict";
import type { CallSettledEntry, TranscriptEntry } from "@talaria/agent";
import { type Ended, nameIn, type Query } from "./conversation-play.ts";
import { didText } from "./did-text.ts";
import { changesSomething, type Plan, plannedCall } from "./plan.ts";

export interface EntryRow {
  readonly turn_id: string;
  readonly body: TranscriptEntry;
}

interface CallRow {
  readonly call_id: string;
  readonly waits_for: string;
  readonly settlement: string | null;
}

/** What must be so at the end of every conversation, whoever died when. */
export async function assertSound(plan: Plan, ended: Ended, query: Query): Promise<void> {
  const entries = await query<EntryRow>("select turn_id, body from talaria.entry where session_key = $1 order by id", [
    ended.key,
  ]);
  const calls = await query<CallRow>(
    "select call_id, waits_for, settlement from talaria.open_call where session_key = $1",
    [ended.key],
  );
  assertOneResultEach(entries);
  assertEffects(plan, ended, entries, calls);
  assertAsked(ended, calls);
  await assertNothingLeft(ended, query);
  await assertUsage(ended, entries, query);
}

/** What each entry accounts for is among what was used, once. */
async function assertUsage({ key }: Ended, entries: readonly EntryRow[], query: Query): Promise<void> {
  const used = await query<{ turn_id: string; tokens: number }>(
    `select turn_id, (input_tokens + output_tokens)::integer as tokens from talaria.usage
      where session_key = $1 order by id`,
    [key],
  );
  const counted = entries.flatMap(({ turn_id, body }) => {
    const usage = "usage" in body ? body.usage : undefined;
    return usage === undefined
      ? []
      : [{ turn_id, tokens: Math.ceil(usage.inputTokens) + Math.ceil(usage.outputTokens) }];
  });
  assert.ok(counted.length > 0);
  assert.deepEqual(used, counted, "what was used stands in the journal, once");
}

/** Every call of a turn has one result, and so has every settlement that came too late for its call. */
function assertOneResultEach(entries: readonly EntryRow[]): void {
  for (const [turn, rows] of Map.groupBy(entries, ({ turn_id }) => turn_id)) {
    const bodies = rows.map(({ body }) => body);
    const asked = bodies.flatMap((body) =>
      body.kind === "assistant" ? body.toolCalls.map(({ callId }) => callId) : [],
    );
    const settled = bodies.filter((body) => body.kind === "call.settled");
    const late = settled.filter((one) => isLate(one, turn, bodies)).map(({ id }) => id as string);
    const results = bodies.flatMap((body) => (body.kind === "tool.result" ? [body.callId] : []));
    assert.deepEqual(results.toSorted(), [...asked, ...late].sort(), `one result for each call of ${turn}`);
    for (const kind of ["tool.started", "tool.waiting"] as const) {
      const ids = bodies.flatMap((body) => (body.kind === kind ? [body.callId] : []));
      assert.equal(new Set(ids).size, ids.length, `each call of ${turn} has one ${kind} at most`);
    }
  }
  const settlements = entries.flatMap(({ body }) => (body.kind === "call.settled" ? [body.id] : []));
  assert.equal(new Set(settlements).size, settlements.length, "each settlement is in one turn");
}

/** The model had gone on without it. */
function isLate(settled: CallSettledEntry, turn: string, bodies: readonly TranscriptEntry[]): boolean {
  const before = bodies.slice(0, bodies.indexOf(settled));
  return settled.turnId !== turn || before.some((one) => one.kind === "tool.result" && one.callId === settled.callId);
}

/** Nothing is done twice, or without being allowed, and no result says something else than what happened. */
function assertEffects(
  plan: Plan,
  { effects, unknown }: Ended,
  entries: readonly EntryRow[],
  calls: readonly CallRow[],
): void {
  for (const [name, times] of effects) {
    assert.equal(times, 1, `${name} is done once`);
    if (plannedCall(plan, name).kind !== "ask") continue;
    assert.equal(
      calls.find(({ call_id }) => call_id === name)?.settlement,
      "approved",
      `${name} is done when approved`,
    );
  }
  const names = new Map(
    entries.flatMap(({ body }): readonly (readonly [string, string])[] => {
      if (body.kind === "assistant") return body.toolCalls.map((call) => [call.callId, nameIn(call.arguments)]);
      return body.kind === "call.settled" ? [[body.id, nameIn(body.arguments)]] : [];
    }),
  );
  for (const { body } of entries) {
    if (body.kind !== "tool.result") continue;
    const name = names.get(body.callId) ?? "";
    const { kind } = plannedCall(plan, name);
    if (!changesSomething(kind)) assert.doesNotMatch(body.content, /^UNKNOWN/, `${name} is done again`);
    else if (body.content === didText(name, plan)) assert.equal(effects.get(name), 1, `${name} was done`);
    else if (/^UNKNOWN/.test(body.content)) assert.ok(unknown.has(name), `what became of ${name} is unknown`);
    else if (kind !== "begin" && /^(Cancelled\.|DENIED|EXPIRED)/.test(body.content))
      assert.equal(effects.get(name), undefined, `${name} was not done: ${body.content}`);
  }
}

/** People are asked once for each call that waits for them, and nothing waits any more. */
function assertAsked({ outbox }: Ended, calls: readonly CallRow[]): void {
  const open = calls.filter(({ settlement }) => settlement === null);
  assert.deepEqual(open, [], "no call is left open");
  const asked = outbox.flatMap(({ choices = [] }) => choices.filter(({ id }) => id.startsWith("deny-")));
  assert.equal(new Set(asked.map(({ id }) => id)).size, asked.length, "nobody is asked twice");
  assert.equal(asked.length, calls.filter(({ waits_for }) => waits_for === "approval").length, "each is asked about");
}

/** Whatever was said is answered, or was stopped by somebody; each turn has one reply at most. */
async function assertNothingLeft({ key, outbox }: Ended, query: Query): Promise<void> {
  const waiting = await query(
    "select body from talaria.inbox where session_key = $1 and turn_id is null and reason is null",
    [key],
  );
  assert.deepEqual(waiting, [], "nothing waits");
  const dropped = await query<{ reason: string }>(
    "select reason from talaria.inbox where session_key = $1 and reason is not null",
    [key],
  );
  assert.ok(dropped.every(({ reason }) => reason === "stopped"));
  const [session] = await query<{ open_turn: string | null }>(
    "select open_turn from talaria.session where session_key = $1",
    [key],
  );
  assert.equal(session?.open_turn, null, "no turn is open");
  const turns = await query<{ turn_id: string; state: string }>(
    "select turn_id, state from talaria.turn where session_key = $1",
    [key],
  );
  const replies = outbox.filter(({ kind }) => kind === "reply");
  for (const { turn_id, state } of turns) {
    const own = replies.filter(({ turnId }) => turnId === turn_id).length;
    if (state === "completed") assert.equal(own, 1, `${turn_id} has its reply`);
    else assert.ok(state === "aborted" && own <= 1, `${turn_id} is ${state}`);
  }
}
