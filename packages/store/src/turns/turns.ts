import {
  bringsFiles,
  type Clock,
  type EventId,
  GatewayError,
  instantOf,
  isGatewayError,
  type Log,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import type { Spender } from "../ports/spending.ts";
import type { ClaimLimits, PendingEvent, SessionLease, SteeringCosts, StoredEntry, TurnStore } from "../ports/turns.ts";
import { usesOf } from "../spending/uses.ts";
import { readClaim, readPendingEvents } from "./stored-rows.ts";
import { readStranded } from "./stranded.ts";
import * as calls from "./turn-calls.ts";
import { isCancelled, readAsked, readPartial } from "./turn-reads.ts";

/** A session is given up after this many failures within this time. */
const giveUpRule = { failures: 3, withinMs: 600_000 };
/** The share of the limits that a history is cut to when it exceeds them. */
const keptHistory = 0.5;
/** The most events that one step of a turn takes in. */
const maxSteered = 50;

export function createTurnStore(database: Database, log: Log, clock: Pick<Clock, "now">): TurnStore {
  const claim = calls.claimSession(database);
  const readClaimed = calls.readClaimed(database);
  const fail = calls.failSession(database);
  const begin = calls.beginTurn(database);
  const append = calls.appendEntries(database);
  const countEntries = calls.countEntries(database);
  const keepTools = calls.keepTools(database);
  const sayElsewhere = calls.sayElsewhere(database);
  const readReached = calls.readReached(database);
  const readSteered = calls.readSteered(database);
  const takeSteered = calls.takeSteered(database);
  const savePartial = calls.savePartial(database);
  const suspend = calls.suspendTurn(database);
  const commit = calls.commitTurn(database);
  const dropEvents = calls.dropEvents(database);
  const release = calls.releaseSession(database);
  const handOver = calls.handOver(database);

  /** Drops events that cannot be read, so that the session continues without them. */
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

  /** Counts every error against the session, except a lost lease and an unavailable server. */
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

  /** Looks before anything is made of files: a voice note is transcribed, which costs something. */
  async function refused<One extends Spender>(
    lease: SessionLease,
    spenders: readonly One[],
    events: readonly PendingEvent[],
    costs: SteeringCosts<One> | undefined,
  ): Promise<boolean> {
    if (costs === undefined || !events.some(({ event }) => bringsFiles(event))) return false;
    const { reached } = await readReached({ sessionKey: lease.sessionKey, spenders: bare(spenders) });
    if (reached.length > 0) await dropEvents({ ...lease, ...costs.refuse(spenders, reached) });
    return reached.length > 0;
  }

  return {
    async claim(sessionKey, holder, limits, deliver) {
      const giveUp = { ...giveUpRule, markdown: limits.givenUpMarkdown };
      const taken = await counted({ sessionKey, holder }, () => claim({ sessionKey, holder, giveUp }));
      if (taken?.givenUp) {
        log.error({ sessionKey, ...giveUpRule }, "session given up: its workers kept failing");
        if (taken.givenUp.accountId !== null) deliver?.(taken.givenUp.accountId);
      }
      if (taken?.fence === undefined) return undefined;
      const lease = { sessionKey, holder, fence: taken.fence };
      return await counted(lease, async () => {
        const { pendingEvents } = limits;
        const found = readClaim(await readClaimed({ ...lease, pendingEvents, history: historyLimits(limits) }));
        return { lease, ...found, pending: await readable(lease, found.pending) };
      });
    },

    async begin(lease, start) {
      const spenders = bare(start.spenders ?? []);
      const { reached = [], ...begun } = await begin({ ...start, ...lease, spenders, entries: texts(start.entries) });
      return { reached, ...begun };
    },

    async reached({ sessionKey }, spenders) {
      return (await readReached({ sessionKey, spenders: bare(spenders) })).reached;
    },

    async keepTools(lease, turnId, tools) {
      await keepTools({ ...lease, turnId, tools });
    },

    async keepFacts(lease, turnId, facts) {
      await keepTools({ ...lease, turnId, facts });
    },

    async say(lease, turnId, text) {
      const { ended } = await sayElsewhere({ ...lease, turnId, text });
      if (ended)
        throw new GatewayError("not sent: somebody has ended this turn meanwhile", { code: "aborted", effect: "none" });
    },

    async append(lease, turnId, entries, asks = [], after = undefined, pass = false) {
      const { reached, cancelled } = await append({
        ...lease,
        turnId,
        entries: texts(entries),
        ...usesOf(entries),
        ...(after === undefined ? {} : { after }),
        ...(pass && { pass }),
        ...forbiddenIn(entries),
        ...(asks.length === 0
          ? {}
          : {
              asks: asks.map(({ ask }) => ask),
              askedAt: instantOf(clock.now()),
              outbox: asks.flatMap(({ texts = [] }) => texts),
            }),
      });
      return { ...(reached && { reached }), ...(cancelled && { cancelled }) };
    },

    written: async (lease, turnId) => (await countEntries({ ...lease, turnId })).count,

    async steer(lease, turnId, toEntries, costs) {
      for (;;) {
        const { events } = await readSteered({ ...lease, turnId, atMost: maxSteered });
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
          ...usesOf(entries),
        };
        const { taken, reached = [] } = await takeSteered(call);
        if (taken) return entries;
        if (costs !== undefined && reached.length > 0)
          await dropEvents({ ...lease, ...costs.refuse(spenders, reached) });
      }
    },

    async wordsWait(lease, turnId) {
      const { events } = await readSteered({ ...lease, turnId, atMost: maxSteered });
      return readPendingEvents(events).rows.some(({ event }) => event.type !== "call.settled");
    },

    async savePartial(lease, turnId, text) {
      await savePartial({ ...lease, turnId, text });
    },

    suspend: async (lease, turnId) => (await suspend({ ...lease, turnId })).released,

    async commit(lease, end) {
      return await commit({ ...end, ...lease, entries: texts(end.entries), ...usesOf(end.entries) });
    },

    async drop(lease, drop, notices = []) {
      await dropEvents({ ...lease, drop, notices });
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

function forbiddenIn(entries: readonly StoredEntry[]): { readonly forbidden?: readonly EventId[] } {
  const forbidden = entries.flatMap(({ forbidden = [] }) => forbidden);
  return forbidden.length === 0 ? {} : { forbidden };
}

/** Without what else the caller keeps with them. */
function bare(spenders: readonly Spender[]): readonly Spender[] {
  return spenders.map(({ charges, neverRefused }) => ({
    charges: charges.map(({ key, unit, windowMs, max }) => ({ key, unit, windowMs, max })),
    ...(neverRefused ? { neverRefused } : {}),
  }));
}

/** Entries travel as text, which preserves the order of their keys. */
function texts(entries: readonly StoredEntry[]): readonly string[] {
  return entries.map(toJson);
}
