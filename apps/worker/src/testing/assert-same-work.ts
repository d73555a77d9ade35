import assert from "node:assert/strict";
import type { TranscriptEntry } from "@talaria/agent";
import type { Ended, Query } from "./conversation-play.ts";

export type Made = Extract<TranscriptEntry, { kind: "cleared" | "checkpoint" }>;

/** All that was journaled in a conversation. */
export async function entriesIn({ key }: Ended, query: Query): Promise<readonly TranscriptEntry[]> {
  const rows = await query<{ body: TranscriptEntry }>(
    "select body from talaria.entry where session_key = $1 order by id",
    [key],
  );
  return rows.map(({ body }) => body);
}

export function madeIn(entries: readonly TranscriptEntry[]): readonly Made[] {
  return entries.filter((entry) => entry.kind === "cleared" || entry.kind === "checkpoint");
}

/** A shortened conversation whose workers died did the same work, and was shortened in the same way where nothing became unknown. */
export function assertSameWork(
  [calm, calmEntries]: readonly [Ended, readonly TranscriptEntry[]],
  [ended, entries]: readonly [Ended, readonly TranscriptEntry[]],
): void {
  assert.deepEqual(callsOf(entries), callsOf(calmEntries), "the same calls");
  for (const name of calm.effects.keys())
    assert.ok(ended.effects.has(name) || ended.unknown.has(name), `${name} was done`);
  assertOneEach(entries);
  const [last, calmLast] = [madeIn(entries), madeIn(calmEntries)].map((made) => made.findLast(isCheckpoint));
  assert.deepEqual(last?.derived.taint, calmLast?.derived.taint);
  assert.deepEqual(rolesIn(last), rolesIn(calmLast));
  assert.deepEqual(
    last?.open.map(({ shown }) => shown),
    calmLast?.open.map(({ shown }) => shown),
  );
  if (ended.unknown.size > 0) return;
  assert.deepEqual(workIn(last), workIn(calmLast), "the same files and plan");
  assert.deepEqual(madeIn(entries).map(sumOf), madeIn(calmEntries).map(sumOf), "the same compressions");
}

/** What makes room is written once: neither when a conversation is full nor at one force of a refusal is there a second. */
function assertOneEach(entries: readonly TranscriptEntry[]): void {
  let since: string[] = [];
  for (const entry of entries) {
    if (entry.kind === "assistant") since = [];
    if (entry.kind !== "cleared" && entry.kind !== "checkpoint") continue;
    const same = entry.reason === "full" ? "full" : JSON.stringify(entry);
    assert.ok(!since.includes(same), `twice: ${JSON.stringify(entry)}`);
    since.push(same);
  }
}

function callsOf(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === "assistant" ? entry.toolCalls.map((one) => one.arguments) : []));
}

function isCheckpoint(made: Made): made is Extract<Made, { kind: "checkpoint" }> {
  return made.kind === "checkpoint";
}

function rolesIn(made: Made | undefined) {
  return made?.kind === "checkpoint" ? made.derived.askers.map(({ role }) => role) : undefined;
}

/** What is known of the workspace and of the plan. Commands are none of these plans. */
function workIn(made: Made | undefined) {
  return made?.kind === "checkpoint" ? { files: made.files, plan: made.plan } : undefined;
}

/** How much each stands for. Ids and times of two conversations differ in length, so that one line more or less has room. */
function sumOf(made: Made): object {
  const { kind, reason, keeps } = made;
  if (made.kind === "cleared") return { kind, reason, keeps, results: made.results.map(({ callId }) => callId) };
  const { said, calls, open, leftOut, derived } = made;
  const all = { said: said.length + leftOut.said, calls: calls.length + leftOut.calls };
  return { kind, reason, keeps, ...all, open: open.map(({ shown }) => shown), taint: derived.taint };
}
