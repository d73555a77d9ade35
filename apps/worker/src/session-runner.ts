import {
  type AccountId,
  backoffMs,
  bringsFiles,
  type Clock,
  type GatewayError,
  isGatewayError,
  type Log,
  type ProcessId,
  type SessionKey,
  turnIdOf,
} from "@talaria/protocol";
import { nextBatch } from "@talaria/sessions";
import type { Claim, ClaimLimits, OpenTurn, ReachedBy, SessionLease, TurnEnd, TurnStore } from "@talaria/store";
import { english } from "@talaria/words";
import { type ClaimedTurn, systemOf } from "./claimed-turn.ts";
import type { EntryMaker } from "./entries.ts";
import { type FactsInDeps, factsIn } from "./facts-in.ts";
import { createPatience } from "./patience.ts";
import type { PromptFor } from "./prompt-for.ts";
import { promptTokens } from "./prompt-tokens.ts";
import { readEntries } from "./read-entries.ts";
import type { RunningTurns } from "./running-turns.ts";
import type { Payer, Spending } from "./spending.ts";
import { toldEntries } from "./told-entries.ts";
import type { TurnRunner } from "./turn-runner.ts";
import type { WorthKeeping } from "./worth-keeping.ts";

/** Limits of one claim, and what people are told when a session is given up. */
const limits = { historyEntries: 100_000, pendingEvents: 50, givenUpMarkdown: english.turnNotices.crashLoop };

/** The pause before a session is claimed again doubles from the first to the second value. */
const pause = { firstMs: 200, longestMs: 5_000 };

export interface SessionRunnerDeps extends FactsInDeps {
  readonly workerId: ProcessId;
  readonly turns: TurnStore;
  readonly runTurn: TurnRunner;
  readonly running: RunningTurns;
  readonly toEntries: EntryMaker;
  readonly spending: Spending;
  readonly promptFor: PromptFor;
  /** Without it, nobody is reminded that how something was done may be kept. */
  readonly worthKeeping?: WorthKeeping;
  /** How many bytes of history are read for a turn, at most. */
  readonly historyBytes: number;
  /** Wakes another worker for a session that was handed over with work left. Lossy. */
  readonly handedOver: (lease: SessionLease) => void;
  /** Tells the gateway that holds the account that its outbox has new rows. Lossy. */
  readonly deliver: (accountId: AccountId) => void;
  /** Reports how long the first event of a turn has waited, in milliseconds. */
  readonly claimed: (waitedMs: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Works through one session until nothing is waiting. Safe to call at any time and repeatedly: within this process the
 * running call looks again, and between processes the lease decides. Throws only on unexpected errors.
 */
export function createSessionRunner(deps: SessionRunnerDeps): (sessionKey: SessionKey) => Promise<void> {
  const active = new Map<SessionKey, { calledAgain: boolean }>();
  return async (sessionKey) => {
    const first = active.get(sessionKey);
    if (first !== undefined) {
      first.calledAgain = true;
      return;
    }
    const mine = { calledAgain: true };
    active.set(sessionKey, mine);
    try {
      while (mine.calledAgain) {
        mine.calledAgain = false;
        await drain(sessionKey, deps);
      }
    } finally {
      active.delete(sessionKey);
    }
  };
}

/**
 * Continues until the session is released, another worker has it, or this process shuts down and hands it over. Waits
 * while the store is unavailable or the lease has lapsed, since no other worker takes a session from a living process.
 * Any other error counts against the session.
 */
async function drain(sessionKey: SessionKey, deps: SessionRunnerDeps): Promise<void> {
  const claimLimits: ClaimLimits = { ...limits, historyBytes: deps.historyBytes };
  let lease: SessionLease | undefined;
  for (let failures = 0; !deps.running.closed; failures += 1) {
    lease = undefined;
    try {
      const claim = await deps.turns.claim(sessionKey, deps.workerId, claimLimits, deps.deliver);
      if (claim === undefined) return;
      lease = claim.lease;
      if ((await step(claim, deps)) === "released") return;
      failures = -1;
    } catch (error) {
      if (!isPassing(error)) {
        if (lease !== undefined) await giveBack(lease, deps);
        throw error;
      }
      deps.log.warn({ sessionKey, code: error.code, error }, "session is claimed again");
      await deps.clock.sleep(backoffMs(failures + 1, pause, 1));
    }
  }
  if (lease !== undefined) await handOver(lease, deps);
}

function isPassing(error: unknown): error is GatewayError {
  return isGatewayError(error, "conflict") || isGatewayError(error, "unavailable");
}

/** No other worker takes a session from a living process, so this waits while the store is unavailable. */
async function giveBack(lease: SessionLease, deps: SessionRunnerDeps): Promise<void> {
  for (let failures = 1; !deps.running.closed; failures += 1) {
    try {
      return await deps.turns.fail(lease);
    } catch (error) {
      if (!isGatewayError(error, "unavailable")) return;
      await deps.clock.sleep(backoffMs(failures, pause, 1));
    }
  }
}

async function handOver(lease: SessionLease, deps: SessionRunnerDeps): Promise<void> {
  await deps.turns.handOver(lease);
  deps.handedOver(lease);
}

type Progress = "released" | "held";

async function step(claim: Claim, deps: SessionRunnerDeps): Promise<Progress> {
  if (claim.open !== undefined) return resume(claim, claim.open, deps);
  if (claim.pending.length === 0) return (await deps.turns.release(claim.lease)) ? "released" : "held";
  return begin(claim, deps);
}

async function begin(claim: Claim, deps: SessionRunnerDeps): Promise<Progress> {
  const { lease } = claim;
  const { take, drop, seqs } = nextBatch(claim.pending, limits.pendingEvents);
  const first = take[0];
  if (first === undefined) {
    await deps.turns.drop(lease, drop);
    return "held";
  }
  deps.claimed(Math.max(0, deps.clock.now() - Date.parse(first.recordedAt)));
  const last = take.at(-1) ?? first;
  const taken = claim.pending.filter(({ seq }) => seqs.includes(seq));
  const spenders = deps.spending.spendersOf(taken);
  if (
    taken.some(({ event }) => bringsFiles(event)) &&
    (await refuse(lease, spenders, await deps.turns.reached(lease, spenders), deps))
  )
    return "held";
  const said = await deps.toEntries(take, claim.pending);
  const journal = [
    ...toldEntries(claim),
    ...said,
    ...(deps.worthKeeping?.(claim.conversation, claim.history, said) ?? []),
  ];
  const told = [...(claim.said ?? []), ...(claim.undelivered ?? [])];
  const claimed: ClaimedTurn = {
    lease,
    turnId: turnIdOf(lease.sessionKey, first.seq),
    firstSeq: first.seq,
    route: first.route,
    conversation: claim.conversation,
    journal,
    history: claim.history,
    grants: claim.grants,
    questions: claim.questions,
    prompt:
      claim.prompt ??
      (await deps.promptFor(lease.sessionKey, claim.conversation, first.route, journal, first.event.sender)),
    facts: await factsIn(claim, journal, deps),
    ...(claim.tools === undefined ? {} : { tools: claim.tools }),
    ...(claim.compact ? { compact: true } : {}),
    ...(claim.chosen === undefined ? {} : { chosen: claim.chosen }),
    ...repliedTo(last.event),
  };
  const { turnId, route, replyTo, prompt, facts } = claimed;
  const beginning = deps.turns.begin(lease, {
    turnId,
    spenders,
    ...(countsTokens(spenders) ? { reserves: promptTokens(systemOf(claimed), claim.history, journal) } : {}),
    take: seqs,
    drop,
    route,
    entries: journal,
    ...(told.length === 0 ? {} : { said: told.map(({ id }) => id) }),
    ...(claim.endedCalls === undefined ? {} : { endedCalls: claim.endedCalls.map(({ id }) => id) }),
    prompt,
    ...(facts === claim.facts || deps.firstFacts === undefined ? {} : { facts }),
    ...(replyTo === undefined ? {} : { replyTo }),
  });
  const prepared = deps.runTurn.prepare(claimed);
  // A turn that is not begun needs none of it.
  prepared.catch(() => undefined);
  const { reached, cancelled } = await beginning;
  if (await refuse(lease, spenders, reached, deps)) return "held";
  // They were told that what waited is dropped.
  if (cancelled !== undefined) return finish(claimed, deps.runTurn.aborted(claimed, cancelled, ""), deps);
  return finish(claimed, await deps.runTurn(claimed, prepared), deps);
}

/** In a group the answer shows to which message it is one. */
function repliedTo(event: Claim["pending"][number]["event"]): Pick<ClaimedTurn, "replyTo"> {
  const isShown = event.conversation.kind !== "direct" && event.type === "message.created";
  return isShown ? { replyTo: event.message.messageId } : {};
}

function countsTokens(payers: readonly Payer[]): boolean {
  return payers.some(({ charges }) => charges.some(({ unit }) => unit === "tokens"));
}

/** Settles the events of those who have reached a limit; the session is claimed again for the rest. */
async function refuse(
  { sessionKey, ...lease }: SessionLease,
  payers: readonly Payer[],
  reached: readonly ReachedBy[],
  deps: SessionRunnerDeps,
): Promise<boolean> {
  if (reached.length === 0) return false;
  const { drop, notices } = deps.spending.refuse(payers, reached);
  await deps.turns.drop({ sessionKey, ...lease }, drop, notices);
  deps.log.warn({ sessionKey, count: drop.length, limits: reached.map(({ key }) => key) }, "spending limit reached");
  deliverTo(
    notices.flatMap(({ text }) => text ?? []),
    deps,
  );
  return true;
}

async function resume(claim: Claim, open: OpenTurn, deps: SessionRunnerDeps): Promise<Progress> {
  const { lease } = claim;
  const claimed: ClaimedTurn = {
    lease,
    turnId: open.turnId,
    firstSeq: open.firstSeq,
    route: open.route,
    conversation: claim.conversation,
    journal: open.journal,
    history: claim.history,
    grants: claim.grants,
    questions: claim.questions,
    prompt:
      claim.prompt ??
      (await deps.promptFor(lease.sessionKey, claim.conversation, open.route, readEntries(open.journal))),
    facts: (deps.firstFacts && claim.facts) ?? "",
    ...(claim.tools === undefined ? {} : { tools: claim.tools }),
    ...(claim.compact ? { compact: true } : {}),
    ...(open.failures > 0 ? { isRecovered: true } : {}),
    ...(claim.chosen === undefined ? {} : { chosen: claim.chosen }),
    ...(open.replyTo === undefined ? {} : { replyTo: open.replyTo }),
    // Words that the turn can't take wait for its end.
    ...(claim.pending[0] !== undefined && claim.pending[0].mode !== "steer" ? { isHurried: true } : {}),
  };
  deps.log.info({ sessionKey: lease.sessionKey, turnId: open.turnId, failures: open.failures }, "turn goes on");
  if (open.cancelled !== undefined) return finish(claimed, deps.runTurn.aborted(claimed, open.cancelled, ""), deps);
  return finish(claimed, await deps.runTurn(claimed), deps);
}

/** Commits the end of a turn. Without an end, since the process is shutting down, hands the session over as it is. */
async function finish(
  { lease, turnId }: ClaimedTurn,
  end: TurnEnd | "suspended" | undefined,
  deps: SessionRunnerDeps,
): Promise<Progress> {
  if (end === "suspended")
    return (await createPatience(deps)(() => deps.turns.suspend(lease, turnId))) ? "released" : "held";
  if (end === undefined) {
    await handOver(lease, deps);
    return "released";
  }
  const { released } = await createPatience(deps)(() => deps.turns.commit(lease, end));
  deliverTo(end.outbox, deps);
  return released ? "released" : "held";
}

function deliverTo(texts: TurnEnd["outbox"], deps: SessionRunnerDeps): void {
  for (const accountId of new Set(texts.map(({ conversation }) => conversation.accountId))) deps.deliver(accountId);
}
