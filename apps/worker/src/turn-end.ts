import {
  cancelledCalls,
  type ReplyParts,
  type TranscriptEntry,
  type TurnFailureCode,
  type TurnOutcome,
} from "@talaria/agent";
import { brandAs, type DeliveryKey, type Instant } from "@talaria/protocol";
import type { TurnEnd } from "@talaria/store";
import type { ClaimedTurn, CutShort } from "./claimed-turn.ts";
import { notices } from "./notices.ts";
import { readEntries } from "./read-entries.ts";
import type { AbortReason } from "./running-turns.ts";

/** Failures that tell a person about their own request: their notice is the answer, and no news about the operation. */
const answersItself: ReadonlySet<TurnFailureCode> = new Set<TurnFailureCode>(["refusal", "step_limit", "output_limit"]);

/** What is committed of a turn that is over. Undefined: it stays open for another worker. */
export function toEnd(
  claimed: ClaimedTurn,
  outcome: EndedOutcome,
  signal: AbortSignal,
  at: Instant,
): TurnEnd | undefined {
  const end = endOf(claimed, outcome, signal);
  const { context } = outcome;
  return end === undefined || context === undefined ? end : { ...end, context: { ...context, at } };
}

type EndedOutcome = Exclude<TurnOutcome, { status: "suspended" }>;

function endOf(claimed: ClaimedTurn, outcome: EndedOutcome, signal: AbortSignal): TurnEnd | undefined {
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
      const { final: entries, code: reason, notice } = outcome;
      const text = reply(claimed, notice);
      const outbox = [
        outcome.hasAnswer || answersItself.has(reason) ? text : { ...text, operational: { topic: "failed" as const } },
      ];
      return { turnId, outcome: "failed", reason, entries, outbox };
    }
    case "aborted": {
      const end = abortedBy(claimed, signal, outcome.partial);
      return end && { ...end, entries: outcome.final };
    }
    default:
      return outcome satisfies never;
  }
}

/** The end of a turn whose signal is aborted. Undefined: it stays open for another worker. */
export function abortedBy(claimed: ClaimedTurn, signal: AbortSignal, partial: string): TurnEnd | undefined {
  const reason: AbortReason = signal.reason;
  return reason === "shutdown" || reason === "lost" ? undefined : aborted(claimed, reason, partial);
}

/** Why a limit ended a turn, for the people. A person who stopped it knows. */
const endings = { timeout: notices.timedOut, spending_limit: notices.spentMeanwhile } as const;

/** The end of a turn that a person or a limit cut short. */
export function aborted(claimed: ClaimedTurn, reason: CutShort, partial: string): TurnEnd {
  const told = reason in endings ? [partial, endings[reason as keyof typeof endings]] : [partial && `${partial} …`];
  const markdown = told.filter((text) => text !== "").join("\n\n");
  const topic = reason === "timeout" ? "failed" : "limit";
  const operational = { topic, otherwise: partial && `${partial} …` } as const;
  const text = { ...reply(claimed, markdown), ...(reason in endings ? { operational } : {}) };
  const outbox = markdown === "" ? [] : [text];
  const entries: readonly TranscriptEntry[] = [
    ...cancelledCalls(claimed.turnId, readEntries(claimed.journal)),
    { kind: "note", text: `the answer was cut short: ${reason}` },
  ];
  return { turnId: claimed.turnId, outcome: "aborted", reason, entries, outbox };
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
