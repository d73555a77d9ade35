import type { Log } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import type { Spender } from "../ports/spending.ts";
import type { PendingEvent, SessionLease, SteeringCosts, StoredEntry, TurnStore } from "../ports/turns.ts";
import { tokensOf } from "../spending/tokens.ts";
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
  const readReached = calls.readReached(database);
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
      await dropEvents({ ...lease, drop, notices: [] });
      const seqs = drop.map(({ seq }) => seq);
      log.error({ sessionKey: lease.sessionKey, seqs }, "events that this release cannot read were dropped");
    }
    return rows;
  }

  /** Looks before anything is made of files: a voice note is transcribed, which costs something. */
  async function refused<One extends Spender>(
    lease: SessionLease,
    spenders: readonly One[],
    events: readonly PendingEvent[],
    costs: SteeringCosts<One> | undefined,
  ): Promise<boolean> {
    if (costs === undefined || !events.some(bringsFiles)) return false;
    const { reached } = await readReached({ sessionKey: lease.sessionKey, spenders: bare(spenders) });
    if (reached.length > 0) await dropEvents({ ...lease, ...costs.refuse(spenders, reached) });
    return reached.length > 0;
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
      const spenders = bare(start.spenders ?? []);
      const { reached = [] } = await begin({ ...start, ...lease, spenders, entries: texts(start.entries) });
      return reached;
    },

    async reached({ sessionKey }, spenders) {
      return (await readReached({ sessionKey, spenders: bare(spenders) })).reached;
    },

    async append(lease, turnId, entries) {
      const { reached } = await append({ ...lease, turnId, entries: texts(entries), tokens: tokensOf(entries) });
      return reached ?? undefined;
    },

    async steer(lease, turnId, toEntries, costs) {
      for (;;) {
        const { events } = await readSteered({ ...lease, turnId });
        const pending = await readable(lease, events);
        if (pending.length === 0) return [];
        const spenders = costs?.spendersOf(pending) ?? [];
        if (await refused(lease, spenders, pending, costs)) continue;
        const entries = await toEntries(pending);
        const take = pending.map(({ seq }) => seq);
        const call = {
          ...lease,
          turnId,
          take,
          spenders: bare(spenders),
          entries: texts(entries),
          tokens: tokensOf(entries),
        };
        const { taken, reached = [] } = await takeSteered(call);
        if (taken) return entries;
        if (costs !== undefined && reached.length > 0)
          await dropEvents({ ...lease, ...costs.refuse(spenders, reached) });
      }
    },

    async savePartial(lease, turnId, text) {
      await savePartial({ ...lease, turnId, text });
    },

    async commit(lease, end) {
      return await commit({ ...end, ...lease, entries: texts(end.entries), tokens: tokensOf(end.entries) });
    },

    async drop(lease, drop, notices = []) {
      await dropEvents({ ...lease, drop, notices });
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

/** Without what else the caller keeps with them. */
function bare(spenders: readonly Spender[]): readonly Spender[] {
  return spenders.map(({ charges }) => ({
    charges: charges.map(({ key, unit, windowMs, max }) => ({ key, unit, windowMs, max })),
  }));
}

function bringsFiles({ event }: PendingEvent): boolean {
  return "message" in event && event.message.attachments.length > 0;
}

/** Entries travel as texts, so that the order of their keys survives. */
function texts(entries: readonly StoredEntry[]): readonly string[] {
  return entries.map(toJson);
}
