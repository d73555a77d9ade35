import { createHash, randomBytes } from "node:crypto";
import { refuseFurther } from "@talaria/agent";
import type { AskPerson, PersonAnswer, PersonQuestion } from "@talaria/mcp";
import {
  type AccountId,
  type Asker,
  brandAs,
  type Clock,
  type Conversation,
  type DeliveryKey,
  instantOf,
  isGatewayError,
  type Log,
  type ProcessId,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import { voidNotice } from "@talaria/sessions";
import type { AskedOf, CallStore, Cancellation, OpenCall, SessionLease, TurnStore } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import type { Patience } from "./patience.ts";
import type { AbortReason } from "./running-turns.ts";

/** A signal that an answer is there may get lost. */
const lookEveryMs = 2_000;
/** A turn that somebody has ended is stopped here within so long. */
const stoppedWithinMs = 10_000;
/** Between the id of a call and the number of what it asks. */
const askMark = "/ask-";
const longestHead = 200;

export interface CallQuestionDeps {
  readonly turns: Pick<TurnStore, "append">;
  readonly calls: Pick<CallStore, "find" | "findOf" | "settle" | "waiting" | "askedWhileRunning">;
  readonly workerId: ProcessId;
  readonly patiently: Patience;
  /** The time of the session's turn stands still meanwhile. */
  readonly untimed: <Result>(sessionKey: SessionKey, work: () => Promise<Result>) => Promise<Result>;
  /** Ends the session's turn here. */
  readonly end: (sessionKey: SessionKey, reason: Cancellation) => void;
  /** Lossy. */
  readonly deliver: (accountId: AccountId) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A turn that runs here, whose calls may ask people. */
export interface TurnOfQuestions {
  readonly lease: SessionLease;
  readonly turnId: TurnId;
  readonly route: Conversation;
  /** Everyone whose words have entered it so far: they are asked. */
  askers(): readonly Asker[];
}

/** What calls that run in this worker ask people, one question after the other in each turn. */
export interface CallQuestions {
  /**
   * `begun`: calls of this turn that another worker has begun; `repeated` those of them that run again: what they ask again is not shown
   * again, and was answered if it was. What the others have asked is closed before it resolves, and people are told. Resolves with those
   * of the others whose last question nobody had answered. Never rejects.
   */
  open(turn: TurnOfQuestions, begun: readonly string[], repeated: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** `isOver`: the turn goes on nowhere, and nothing that it has asked is left. */
  close(turnId: TurnId, isOver: boolean): void;
  /** See `AskPerson`. The question is withdrawn when the signal is aborted; with the worker it is closed by a gateway. */
  readonly ask: AskPerson;
  /** Something of this session was answered. */
  look(sessionKey: SessionKey): void;
}

interface OpenTurn extends TurnOfQuestions {
  readonly repeated: ReadonlySet<string>;
  /** How often each call has asked. */
  readonly counts: Map<string, number>;
  last: Promise<unknown>;
  look: () => void;
}

export function createCallQuestions(deps: CallQuestionDeps): CallQuestions {
  const turns = new Map<TurnId, OpenTurn>();
  return {
    async open(turn, begun, repeated) {
      const own = { repeated, counts: new Map<string, number>() };
      turns.set(turn.turnId, { ...turn, ...own, last: Promise.resolve(), look: () => undefined });
      const ended = begun.filter((callId) => !repeated.has(callId));
      return ended.length === 0 ? new Set() : await closeVoid(turn, ended, deps);
    },
    close(turnId, isOver) {
      const turn = turns.get(turnId);
      turns.delete(turnId);
      if (isOver && turn !== undefined && turn.repeated.size > 0) void withdrawLeft(turn, turn.repeated, deps);
    },
    look: (sessionKey) => {
      for (const turn of turns.values()) if (turn.lease.sessionKey === sessionKey) turn.look();
    },
    async ask({ turnId, callId }, question, signal) {
      const turn = turns.get(turnId);
      if (turn === undefined || !canAnswer(turn)) return { status: "nobody" };
      const until = deps.clock.elapsed() + question.withinMs;
      const answer = deps.untimed(turn.lease.sessionKey, () =>
        turn.last.then(() => askOne(turn, callId, question, until, signal, deps)),
      );
      turn.last = answer.catch(() => undefined);
      return await answer.catch((error: unknown): PersonAnswer => {
        if (isGatewayError(error, "invalid_request")) throw error;
        if (!signal.aborted) deps.log.warn({ sessionKey: turn.lease.sessionKey, error }, "a call could not ask people");
        return { status: "unanswered" };
      });
    },
  };
}

/**
 * Otherwise the next words would go to a call that is gone. Its server may have done something before it asked, and MCP keeps no call: what
 * was asked ends its request (2026-07-28, basic/patterns/mrtr, "Initial Request Terminated") or its connection (2025-11-25).
 */
async function closeVoid(
  { lease: { sessionKey }, turnId, route }: TurnOfQuestions,
  begun: readonly string[],
  { calls, deliver, log }: CallQuestionDeps,
): Promise<ReadonlySet<string>> {
  const unanswered = new Set<string>();
  try {
    const asked = await calls.askedWhileRunning(turnId);
    for (const callId of begun) {
      const last = asked.findLast((one) => one.callId.startsWith(`${callId}${askMark}`));
      if (last === undefined || last.settlement === "answered") continue;
      if (last.settlement === undefined) {
        const { id } = last;
        const isClosed = await calls.settle({ id, sessionKey, settlement: "cancelled" }, voidNotice(last));
        if (!isClosed && (await calls.find(id))?.settlement === "answered") continue;
        deliver(route.accountId);
      }
      unanswered.add(callId);
    }
  } catch (error) {
    log.warn({ sessionKey, error }, "questions of a worker that died could not be closed");
  }
  return unanswered;
}

/** What calls that ran again have not asked again. */
async function withdrawLeft(
  { lease: { sessionKey }, turnId }: TurnOfQuestions,
  callIds: ReadonlySet<string>,
  { calls, log }: CallQuestionDeps,
): Promise<void> {
  try {
    for (const { id, turnId: its, waitsFor, heldBy, callId } of await calls.waiting(sessionKey)) {
      const isLeft = its === turnId && waitsFor === "form" && heldBy !== undefined && callIds.has(askerOf(callId));
      if (isLeft) await calls.settle({ id, sessionKey, settlement: "cancelled" });
    }
  } catch (error) {
    log.warn({ sessionKey, error }, "questions of a worker that died could not be closed");
  }
}

function askerOf(callId: string): string {
  return callId.slice(0, callId.lastIndexOf(askMark));
}

/** Nobody reads what would be written to a machine, and nobody answers under an id that was not checked. */
function canAnswer({ route, askers }: OpenTurn): boolean {
  return (
    route.platform !== "webhook" &&
    // One answer is all that is taken there.
    route.guest !== true &&
    askers().some(({ sender }) => sender.role === "person" && sender.assurance !== "claimed")
  );
}

async function askOne(
  turn: OpenTurn,
  callId: string,
  question: PersonQuestion,
  until: number,
  signal: AbortSignal,
  deps: CallQuestionDeps,
): Promise<PersonAnswer> {
  const { lease, turnId, route } = turn;
  const leftMs = until - deps.clock.elapsed();
  if (signal.aborted || leftMs <= 0) return { status: "unanswered" };
  const asked = await newlyAsked(turn, callId, question, leftMs, deps);
  if (!("text" in asked)) return answerIn(asked);
  const { id, text } = asked;
  const { cancelled } = await deps.patiently(() => deps.turns.append(lease, turnId, [], [text]));
  if (cancelled !== undefined) {
    // Nobody was asked. The call ends with its turn, before its server is told anything.
    deps.end(lease.sessionKey, cancelled);
    return { status: "unanswered" };
  }
  deps.deliver(route.accountId);
  const end = await settled(turn, id, until, signal, deps);
  // Whoever ended the turn has closed its questions, too: the call ends with it, before its server is told anything.
  if (end?.settlement === "cancelled") await deps.clock.sleep(stoppedWithinMs, signal).catch(() => undefined);
  if (end !== undefined) return answerIn(end);
  // Who goes on with the turn asks it again, or closes it and tells people.
  if (signal.aborted && goesOn.has(signal.reason)) return { status: "unanswered" };
  const isWithdrawn = await withdraw(id, lease.sessionKey, deps).catch(() => true);
  // Somebody may have answered at the same moment.
  const late = isWithdrawn || signal.aborted ? undefined : await deps.calls.find(id);
  return late === undefined ? { status: "unanswered" } : answerIn(late);
}

/** Why a turn ends here and goes on in another worker. */
const goesOn: ReadonlySet<unknown> = new Set<AbortReason>(["shutdown", "lost"]);

/** False: it was settled before. One that another worker holds now is not ours any more. */
async function withdraw(id: string, sessionKey: SessionKey, { calls, workerId }: CallQuestionDeps): Promise<boolean> {
  if ((await calls.find(id))?.heldBy !== workerId) return true;
  return await calls.settle({ id, sessionKey, settlement: "cancelled" });
}

/** The question with its number, or how it was settled when the same call has asked it before, in another worker. */
async function newlyAsked(
  turn: OpenTurn,
  callId: string,
  question: PersonQuestion,
  withinMs: number,
  deps: CallQuestionDeps,
): Promise<OpenCall | { readonly id: string; readonly text: AskedOf }> {
  const n = (turn.counts.get(callId) ?? 0) + 1;
  turn.counts.set(callId, n);
  const mark = `${callId}${askMark}${n}-${digestOf(question)}`;
  const id = randomBytes(4).toString("hex");
  const known = turn.repeated.has(callId) ? await deps.calls.findOf(turn.turnId, mark) : undefined;
  if (known === undefined && turn.repeated.has(callId)) await withdrawLeft(turn, new Set([callId]), deps);
  if (known?.settlement === "answered") return known;
  if (known !== undefined && known.settlement === undefined && !known.isOverdue)
    return { id: known.id, text: askedOf(turn, { id: known.id, ownId: mark }, question, withinMs, deps) };
  refuseFurther(await deps.calls.waiting(turn.lease.sessionKey));
  const ownId = known === undefined ? mark : `${mark}-${id}`;
  return { id, text: askedOf(turn, { id, ownId }, question, withinMs, deps) };
}

function digestOf({ markdown, choices, takesWords }: PersonQuestion): string {
  return createHash("sha256")
    .update(JSON.stringify([markdown, choices, takesWords]))
    .digest("hex")
    .slice(0, 8);
}

function answerIn({ settlement, content }: OpenCall): PersonAnswer {
  return settlement === "answered" && content !== undefined
    ? { status: "answered", content }
    : { status: "unanswered" };
}

/** Undefined: not in time, or the call has ended. */
async function settled(
  turn: OpenTurn,
  id: string,
  until: number,
  signal: AbortSignal,
  { calls, clock, log }: CallQuestionDeps,
): Promise<OpenCall | undefined> {
  while (!signal.aborted && clock.elapsed() < until) {
    const looking = new AbortController();
    turn.look = () => looking.abort();
    const call = await calls.find(id).catch((error: unknown) => {
      log.debug({ error }, "an answer could not be looked for");
      return undefined;
    });
    if (call?.settlement !== undefined) return call;
    await clock.sleep(lookEveryMs, AbortSignal.any([signal, looking.signal])).catch(() => undefined);
  }
  return undefined;
}

/** Who asks: it stands for the question in lists of what waits. The words below are the server's. */
function headOf(markdown: string): string {
  const [head = ""] = markdown.split("\n", 1);
  return head
    .replaceAll("**", "")
    .replace(/\. These are its words:$/, ".")
    .slice(0, longestHead);
}

function askedOf(
  { lease, turnId, route, askers }: OpenTurn,
  { id, ownId }: { readonly id: string; readonly ownId: string },
  { markdown, choices, takesWords }: PersonQuestion,
  withinMs: number,
  { clock, workerId }: CallQuestionDeps,
): AskedOf {
  const { turnNotices } = wordsFor({ conversation: route, sender: askers()[0]?.sender });
  const how = takesWords ? turnNotices.takesWords(id, route.kind === "direct") : "";
  return {
    ask: {
      ...{ id, callId: ownId, name: "question", arguments: JSON.stringify({ choices, takesWords }) },
      ...{ waitsFor: "form", shown: headOf(markdown), askers: askers(), heldBy: workerId },
      expiresAt: instantOf(clock.now() + withinMs),
    },
    texts: [
      {
        deliveryKey: brandAs<DeliveryKey>(`ask:${turnId}:${ownId}`),
        kind: "notice",
        conversation: route,
        markdown: how === "" ? markdown : `${markdown}\n\n${how}`,
        attachments: [],
        choices: choices.map((label, index) => ({ id: `answer-${id}-${index + 1}`, label })),
        sessionKey: lease.sessionKey,
      },
    ],
  };
}
