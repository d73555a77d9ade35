import type { Log } from "@talaria/protocol";
import { type Database, sqlFunction } from "./database.ts";
import { toJson } from "./json.ts";
import type { PendingEvent, SessionLease, StoredEntry, TurnStore } from "./ports/turns.ts";
import { readClaim, readPendingEvents } from "./stored-rows.ts";
import { isCancelled, readAsked, readDraft, readStranded } from "./turn-reads.ts";

/** Claims that share a statement. Each may bring a long history along. */
const maxClaims = 8;

export function createTurnStore(database: Database, log: Log): TurnStore {
  const claimSession = sqlFunction<unknown>(database, "claim_session", maxClaims);
  const beginTurn = sqlFunction<unknown>(database, "begin_turn");
  const appendEntries = sqlFunction<unknown>(database, "append_entries");
  const readSteered = sqlFunction<{ events: unknown }>(database, "read_steered");
  const takeSteered = sqlFunction<{ taken: boolean }>(database, "take_steered");
  const saveDraft = sqlFunction<unknown>(database, "save_draft");
  const commitTurn = sqlFunction<{ released: boolean }>(database, "commit_turn");
  const dropEvents = sqlFunction<unknown>(database, "drop_events");
  const releaseSession = sqlFunction<{ released: boolean }>(database, "release_session");
  const handOver = sqlFunction<unknown>(database, "hand_over");

  /** Events that cannot be read are dropped, so that the session goes on without them. */
  async function readable(lease: SessionLease, waiting: unknown): Promise<readonly PendingEvent[]> {
    const { rows, unreadable } = readPendingEvents(waiting);
    if (unreadable.length > 0) {
      const drop = unreadable.map(({ seq }) => ({ seq, reason: "unreadable" }));
      await dropEvents(toJson({ ...lease, drop }));
      const seqs = drop.map(({ seq }) => seq);
      log.error({ sessionKey: lease.sessionKey, seqs }, "events that this release cannot read were dropped");
    }
    return rows;
  }

  return {
    async claim(sessionKey, holder, limits) {
      const answer = await claimSession(toJson({ sessionKey, holder, ...limits }));
      if (answer === null) return undefined;
      const { fence, ...found } = readClaim(answer);
      const lease = { sessionKey, holder, fence };
      return { lease, ...found, pending: await readable(lease, found.pending) };
    },

    async begin(lease, start) {
      await beginTurn(toJson({ ...start, ...lease, entries: texts(start.entries) }));
    },

    async append(lease, turnId, entries) {
      await appendEntries(toJson({ ...lease, turnId, entries: texts(entries) }));
    },

    async steer(lease, turnId, toEntries) {
      for (;;) {
        const { events } = await readSteered(toJson({ ...lease, turnId }));
        const pending = await readable(lease, events);
        if (pending.length === 0) return [];
        const entries = await toEntries(pending);
        const take = pending.map(({ seq }) => seq);
        const { taken } = await takeSteered(toJson({ ...lease, turnId, take, entries: texts(entries) }));
        if (taken) return entries;
      }
    },

    async saveDraft(lease, turnId, text) {
      await saveDraft(toJson({ ...lease, turnId, text }));
    },

    async commit(lease, end) {
      const { released } = await commitTurn(toJson({ ...end, ...lease, entries: texts(end.entries) }));
      return { released };
    },

    async drop(lease, drop) {
      await dropEvents(toJson({ ...lease, drop }));
    },

    release: async (lease) => (await releaseSession(toJson(lease))).released,

    async handOver(lease) {
      await handOver(toJson(lease));
    },

    cancelled: (lease, firstSeq) => isCancelled(database, lease, firstSeq),
    stranded: (limit) => readStranded(database, limit),
    asked: (turnId) => readAsked(database, turnId),
    draft: (turnId) => readDraft(database, turnId),
  };
}

/** Entries travel as texts, so that the order of their keys survives. */
function texts(entries: readonly StoredEntry[]): readonly string[] {
  return entries.map(toJson);
}
