import {
  askersOf,
  cancelledCalls,
  type ReplyParts,
  type TranscriptEntry,
  type TurnFailureCode,
  type TurnOutcome,
} from "@talaria/agent";
import { limitOf } from "@talaria/policy";
import { brandAs, type DeliveryKey, type Instant } from "@talaria/protocol";
import { liftChoice, liftNumber } from "@talaria/sessions";
import type { Reached, TurnEnd } from "@talaria/store";
import { type Lifting, type Words, wordsFor } from "@talaria/words";
import type { ClaimedTurn, CutShort } from "./claimed-turn.ts";
import { readEntries } from "./read-entries.ts";
import type { AbortReason } from "./running-turns.ts";

/** Failures that tell a person about their own request: their notice is the answer, and no news about the operation. */
const answersItself: ReadonlySet<TurnFailureCode> = new Set<TurnFailureCode>(["refusal", "step_limit", "output_limit"]);

/** What an operator alone can mend, who may be the owner that asked. */
const mendedByOperator: ReadonlySet<TurnFailureCode> = new Set<TurnFailureCode>(["auth", "quota", "not_found"]);

/** What is committed of a turn that is over. Undefined: it stays open for another worker. */
export function toEnd(
  claimed: ClaimedTurn,
  outcome: EndedOutcome,
  signal: AbortSignal,
  at: Instant,
  spent?: Spent,
): TurnEnd | undefined {
  const end = endOf(claimed, outcome, signal, spent);
  const { context } = outcome;
  return end === undefined || context === undefined ? end : { ...end, context: { ...context, at } };
}

/** What the limit was that a turn has reached, and how many calls it had made by then. */
export interface Spent extends Reached {
  readonly calls: number;
}

type EndedOutcome = Exclude<TurnOutcome, { status: "suspended" }>;

function endOf(
  claimed: ClaimedTurn,
  outcome: EndedOutcome,
  signal: AbortSignal,
  spent: Spent | undefined,
): TurnEnd | undefined {
  const { turnId } = claimed;
  switch (outcome.status) {
    case "completed":
      return {
        turnId,
        outcome: "completed",
        entries: outcome.final,
        outbox: [reply(claimed, outcome.markdown, outcome.parts)],
      };
    case "failed": {
      const { final: entries, code: reason, answer } = outcome;
      const { turnFailures, turnNotices } = wordsOf(claimed);
      const notice = answer === undefined ? turnFailures[reason] : `${answer}\n\n${turnFailures[reason]}`;
      const remedy = isAskedByOwner(claimed) ? turnNotices.ownersRemedy : turnNotices.tellOperator;
      const text = reply(claimed, mendedByOperator.has(reason) ? `${notice} ${remedy}` : notice);
      const outbox = [
        answer !== undefined || answersItself.has(reason)
          ? text
          : { ...text, operational: { topic: "failed" as const, kind: reason } },
      ];
      return { turnId, outcome: "failed", reason, entries, outbox };
    }
    case "aborted": {
      const end = abortedBy(claimed, signal, outcome.partial, spent);
      return end && { ...end, entries: outcome.final };
    }
    default:
      return outcome satisfies never;
  }
}

/** The end of a turn whose signal is aborted. Undefined: it stays open for another worker. */
export function abortedBy(
  claimed: ClaimedTurn,
  signal: AbortSignal,
  partial: string,
  spent?: Spent,
): TurnEnd | undefined {
  const reason: AbortReason = signal.reason;
  return reason === "shutdown" || reason === "lost" ? undefined : aborted(claimed, reason, partial, spent);
}

/** Why a limit ended a turn, for the people. Undefined: a person stopped it, and knows. */
function endingOf(
  reason: CutShort,
  spent: Spent | undefined,
  lifting: Lifting,
  { turnFailures, turnNotices }: Words,
): string | undefined {
  if (reason === "timeout") return turnFailures.time_limit;
  if (reason !== "spending_limit" || spent === undefined) return undefined;
  return turnNotices.spentMeanwhile(limitOf(spent.key), spent.endsInMs, spent.calls, lifting);
}

/** The end of a turn that a person or a limit cut short. */
export function aborted(claimed: ClaimedTurn, reason: CutShort, partial: string, spent?: Spent): TurnEnd {
  const isOwner = isAskedByOwner(claimed);
  const number = spent && liftNumber(spent.key);
  const words = wordsOf(claimed);
  const ending = endingOf(reason, spent, { number, isOwner }, words);
  const told = ending === undefined ? [partial && `${partial} …`] : [partial, ending];
  const markdown = told.filter((text) => text !== "").join("\n\n");
  const topic = reason === "timeout" ? "failed" : "limit";
  const operational = { topic, otherwise: partial && `${partial} …` } as const;
  // In a group the ending may be left out: a button alone would say nothing.
  const isPressable = number !== undefined && isOwner && claimed.route.kind === "direct";
  const parts = isPressable ? { choices: { question: "", options: [liftChoice(number, "direct", words)] } } : {};
  const text = { ...reply(claimed, markdown, parts), ...(ending === undefined ? {} : { operational }) };
  const outbox = markdown === "" ? [] : [text];
  const entries: readonly TranscriptEntry[] = [
    ...cancelledCalls(claimed.turnId, readEntries(claimed.journal)),
    { kind: "note", text: `the answer was cut short: ${reason}` },
  ];
  return { turnId: claimed.turnId, outcome: "aborted", reason, entries, outbox };
}

function isAskedByOwner(claimed: ClaimedTurn): boolean {
  return askersOf(readEntries(claimed.journal)).some(({ role }) => role === "owner");
}

/** Of whoever has asked, where nobody else reads the answer. */
function wordsOf({ route, journal }: ClaimedTurn): Words {
  return wordsFor({ conversation: route, sender: askersOf(readEntries(journal))[0]?.sender });
}

function reply(
  claimed: ClaimedTurn,
  markdown: string,
  { attachments = [], choices }: ReplyParts = {},
): TurnEnd["outbox"][number] {
  const { turnId, route, replyTo, lease } = claimed;
  return {
    deliveryKey: brandAs<DeliveryKey>(`reply:${turnId}`),
    kind: "reply",
    conversation: route,
    markdown,
    attachments,
    ...(choices === undefined ? {} : { choices: choices.options }),
    sessionKey: lease.sessionKey,
    turnId,
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}
