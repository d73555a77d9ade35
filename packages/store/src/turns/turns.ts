import { isGatewayError, type Log } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import type { ClaimLimits, PendingEvent, SessionLease, StoredEntry, TurnStore } from "../ports/turns.ts";
import { readClaim, readPendingEvents } from "./stored-rows.ts";
import { readStranded } from "./stranded.ts";
import * as calls from "./turn-calls.ts";
import { isCancelled, readAsked, readPartial } from "./turn-reads.ts";

/** A session is given up after so many failures within so long. */
const giveUpRule = { failures: 3, withinMs: 600_000 };
/** The part of a history that stays when it has become too long. */
const keptHistory = 0.5;
/** Events that one step of a turn takes in, at most. */
const maxSteered = 50;

export function createTurnStore(database: Database, log: Log): TurnStore {
  const claim = calls.claimSession(database);
  const readClaimed = calls.readClaimed(database);
  const fail = calls.failSession(database);
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

  /** Whatever goes wrong counts against the session, unless it is a lost lease or a server that is away. */
  async function counted<Result>(session: Parameters<typeof failed>[0], work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isGatewayError(error, "conflict") && !isGatewayError(error, "unavailable")) await failed(session);
      throw error;
    }
  }

  async function failed(session: Pick<SessionLease, "sessionKey" | "holder"> & { readonly fence?: number }) {
    await fail({ ...session, giveUp: giveUpRule });
  }

  return {
    async claim(sessionKey, holder, limits) {
      const giveUp = { ...giveUpRule, markdown: limits.givenUpMarkdown };
      const taken = await counted({ sessionKey, holder }, () => claim({ sessionKey, holder, giveUp }));
      if (taken?.setAside) log.error({ sessionKey, ...giveUpRule }, "session given up: its workers kept failing");
      if (taken?.fence === undefined) return undefined;
      const lease = { sessionKey, holder, fence: taken.fence };
      return await counted(lease, async () => {
        const { pendingEvents } = limits;
        const found = readClaim(await readClaimed({ ...lease, pendingEvents, history: historyLimits(limits) }));
        return { lease, ...found, pending: await readable(lease, found.pending) };
      });
    },

    async begin(lease, start) {
      await begin({ ...start, ...lease, entries: texts(start.entries) });
    },

    async append(lease, turnId, entries) {
      await append({ ...lease, turnId, entries: texts(entries) });
    },

    async steer(lease, turnId, toEntries) {
      for (;;) {
        const { events } = await readSteered({ ...lease, turnId, atMost: maxSteered });
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

    fail: (lease) => failed(lease),

    cancelled: (lease, firstSeq) => isCancelled(database, lease, firstSeq),
    stranded: (after) => readStranded(database, after),
    asked: (turnId) => readAsked(database, turnId),
    partial: (turnId) => readPartial(database, turnId),
  };
}

function historyLimits({ historyEntries, historyBytes }: ClaimLimits) {
  const kept = (limit: number) => Math.floor(limit * keptHistory);
  return {
    entries: historyEntries,
    keptEntries: kept(historyEntries),
    bytes: historyBytes,
    keptBytes: kept(historyBytes),
  };
}

/** Entries travel as texts, so that the order of their keys survives. */
function texts(entries: readonly StoredEntry[]): readonly string[] {
  return entries.map(toJson);
}
