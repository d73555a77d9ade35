import { randomBytes } from "node:crypto";
import { askersOf, type ToolWaitingEntry, type TranscriptEntry } from "@talaria/agent";
import { brandAs, type Conversation, type DeliveryKey, type SessionKey, type TurnId } from "@talaria/protocol";
import type { AskedOf } from "@talaria/store";
import { notices } from "./notices.ts";

export interface AskingTurn {
  readonly turnId: TurnId;
  readonly sessionKey: SessionKey;
  /** Where its answer goes, and who is asked. */
  readonly route: Conversation;
}

/**
 * The calls among `entries` that are answered later, with what people are asked. `journal` is the turn before these entries.
 * `now` is in milliseconds since 1970.
 */
export function asksIn(
  entries: readonly TranscriptEntry[],
  journal: readonly TranscriptEntry[],
  turn: AskingTurn,
  now: number,
): readonly AskedOf[] {
  const waiting = entries.filter((entry) => entry.kind === "tool.waiting");
  if (waiting.length === 0) return [];
  const all = [...journal, ...entries];
  const askers = askersOf(all);
  return waiting.map((entry) => {
    const { callId, name, waitsFor, shown, approver, expiresAt, offer } = entry;
    const ask = {
      id: randomBytes(4).toString("hex"),
      arguments: argumentsOf(callId, all),
      ...{ callId, name, waitsFor, shown, askers, expiresAt },
      ...(approver === undefined ? {} : { approver }),
      ...(offer === undefined ? {} : { offer }),
    };
    return waitsFor === "approval" ? { ask, text: question(ask.id, entry, turn, now) } : { ask };
  });
}

function argumentsOf(callId: string, entries: readonly TranscriptEntry[]): string {
  for (const entry of entries.toReversed()) {
    if (entry.kind === "call.settled" && entry.id === callId) return entry.arguments;
    const call = entry.kind === "assistant" && entry.toolCalls.find((one) => one.callId === callId);
    if (call) return call.arguments;
  }
  return "{}";
}

function question(id: string, entry: ToolWaitingEntry, { turnId, sessionKey, route }: AskingTurn, now: number) {
  const { shown, approver = "owner", callId, expiresAt, offer } = entry;
  return {
    deliveryKey: brandAs<DeliveryKey>(`ask:${turnId}:${callId}`),
    kind: "notice" as const,
    conversation: route,
    markdown: notices.asksApproval({ shown, approver, id, endsInMs: Date.parse(expiresAt) - now, offer }),
    attachments: [],
    choices: [
      { id: `approve-${id}`, label: notices.approve },
      { id: `deny-${id}`, label: notices.deny },
      ...(offer?.scopes ?? []).map((scope) => ({ id: `${scope}-${id}`, label: notices.grants[scope] })),
    ],
    sessionKey,
  };
}
