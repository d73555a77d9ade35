import type { Log } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import type { PendingEvent, SessionLease, StoredEntry, TurnStore } from "../ports/turns.ts";
import { readClaim, readPendingEvents } from "./stored-rows.ts";
import * as calls from "./turn-calls.ts";
import { isCancelled, readAsked, readPartial, readStranded } from "./turn-reads.ts";

/** How long a take-over counts towards `resumes`. */
const resumesWithinMs = 600_000;
/** The part of a history that stays when it has become too long. */
const keptHistory = 0.5;

export function createTurnStore(database: Database, log: Log): TurnStore {
  const claim = calls.claimSession(database);
  const begin = calls.beginTurn(database);
  const append = calls.appendEntries(database);
  const readSteered = calls.readSteered(database);
  const takeSteered = calls.takeSteered(database);
  const savePartial = calls.savePartial(database);
  const commit = calls.commitTurn(database);
  const dropEvents = calls.dropEvents(database);
  const release = calls.releaseSession(database);
  const handOver = calls.handOver(database);

  /** Events that cannot be read are dropped, so that the session goes on without them. */
  async function readable(lease: SessionLease, waiting: unknown): Promise<readonly PendingEvent[]> {
    const { rows, unreadable } = readPendingEvents(waiting);
    if (unreadable.length > 0) {
      const drop = unreadable.map(({ seq }) => ({ seq, reason: "unreadable" }));
      await dropEvents({ ...lease, drop });
      const seqs = drop.map(({ seq }) => seq);
      log.error({ sessionKey: lease.sessionKey, seqs }, "events that this release cannot read were dropped");
    }
    return rows;
  }

  return {
    async claim(sessionKey, holder, limits) {
      const keptEntries = Math.floor(limits.historyEntries * keptHistory);
      const answer = await claim({ sessionKey, holder, ...limits, keptEntries, resumesWithinMs });
      if (answer === null) return undefined;
      const { fence, ...found } = readClaim(answer);
      const lease = { sessionKey, holder, fence };
      return { lease, ...found, pending: await readable(lease, found.pending) };
    },

    async begin(lease, start) {
      await begin({ ...start, ...lease, entries: texts(start.entries) });
    },

    async append(lease, turnId, entries) {
      await append({ ...lease, turnId, entries: texts(entries) });
    },

    async steer(lease, turnId, toEntries) {
      for (;;) {
        const { events } = await readSteered({ ...lease, turnId });
        const pending = await readable(lease, events);
        if (pending.length === 0) return [];
        const entries = await toEntries(pending);
        const take = pending.map(({ seq }) => seq);
        const { taken } = await takeSteered({ ...lease, turnId, take, entries: texts(entries) });
        if (taken) return entries;
      }
    },

    async savePartial(lease, turnId, text) {
      await savePartial({ ...lease, turnId, text });
    },

    async commit(lease, end) {
      return await commit({ ...end, ...lease, entries: texts(end.entries) });
    },

    async drop(lease, drop) {
      await dropEvents({ ...lease, drop });
    },

    release: async (lease) => (await release(lease)).released,

    async handOver(lease) {
      await handOver(lease);
    },

    cancelled: (lease, firstSeq) => isCancelled(database, lease, firstSeq),
    stranded: (limit) => readStranded(database, limit),
    asked: (turnId) => readAsked(database, turnId),
    partial: (turnId) => readPartial(database, turnId),
  };
}

/** Entries travel as texts, so that the order of their keys survives. */
function texts(entries: readonly StoredEntry[]): readonly string[] {
  return entries.map(toJson);
}
