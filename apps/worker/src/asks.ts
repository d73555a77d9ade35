import { randomBytes } from "node:crypto";
import { askersOf, type ToolResultEntry, type ToolWaitingEntry, type TranscriptEntry } from "@talaria/agent";
import {
  type AccountId,
  type AskedQuestion,
  type Asker,
  askedQuestion,
  brandAs,
  type Conversation,
  callOfChoice,
  type DeliveryKey,
  isHomeOf,
  type MessageCapabilities,
  mandateOf,
  type ProcessId,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import { approvalQuestions, askedTogether, homeQuestions } from "@talaria/sessions";
import type { AskedOf, Home, OutboxText } from "@talaria/store";
import { newsCallId } from "./later-news.ts";
import { setApart } from "./set-apart.ts";

export interface AskingTurn {
  readonly turnId: TurnId;
  readonly sessionKey: SessionKey;
  /** Where its answer goes, and who is asked. */
  readonly route: Conversation;
  readonly workerId: ProcessId;
}

export interface AskingDeps {
  readonly homes: () => Promise<readonly Home[]>;
  /** What a message holds, by its account. */
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
}

/**
 * The calls among `entries` that are answered later, with what people are asked: about all that the same people decide, in one
 * message, where one holds it. `journal` is the turn before these entries.
 * `now` is in milliseconds since 1970. What only an owner may decide is asked at the owners' homes too, unless one of them is
 * among those who asked for it. What is done on an owner's behalf is asked at that owner's homes alone.
 */
export async function asksIn(
  entries: readonly TranscriptEntry[],
  journal: readonly TranscriptEntry[],
  turn: AskingTurn,
  now: number,
  { homes, capabilitiesOf }: AskingDeps,
): Promise<readonly AskedOf[]> {
  const waiting = entries.filter((entry) => entry.kind === "tool.waiting");
  const telling = entries.filter((entry) => entry.kind === "tool.result").filter(({ later }) => later !== undefined);
  if (waiting.length + telling.length === 0) return [];
  const all = [...journal, ...entries];
  const askers = askersOf(all);
  const isForOwners = waiting.some(
    ({ waitsFor, approver = "owner" }) => waitsFor === "approval" && approver === "owner",
  );
  const mandate = mandateOf(askers);
  const isOwnerHere = askers.some(({ role, sender }) => role === "owner" && sender.role !== "system");
  const asked = isForOwners && !isOwnerHere ? await homes() : [];
  const meant = mandate === undefined ? asked : asked.filter((home) => isHomeOf(mandate, home));
  const told = telling.flatMap((entry) => toldLater(entry, { all, askers, heldBy: turn.workerId }));
  const asks = waiting.map((entry): AskedOf => {
    const { callId, name, waitsFor, shown, words, approver, expiresAt, offer } = entry;
    const ask = {
      id: randomBytes(4).toString("hex"),
      arguments: argumentsOf(callId, all),
      ...{ callId, name, waitsFor, shown, askers, expiresAt },
      ...(words === undefined ? {} : { words }),
      ...(approver === undefined ? {} : { approver }),
      ...(offer === undefined ? {} : { offer }),
    };
    const asked = askedQuestion(ask);
    if (waitsFor === "form" && asked !== undefined) return { ask, texts: [choosing(ask.id, entry, asked, turn)] };
    return { ask };
  });
  const texts: OutboxText[] = [];
  const approvals = asks.flatMap(({ ask }) => (ask.waitsFor === "approval" ? [ask] : []));
  for (const calls of askedTogether(approvals)) {
    const isForOwner = (calls[0]?.approver ?? "owner") === "owner";
    const others = isForOwner ? meant.filter((home) => !isSamePlace(home.conversation, turn.route)) : [];
    const atHomes = mandate === undefined ? others : meant;
    const roomIn = ({ accountId }: Conversation) => capabilitiesOf(accountId);
    if (mandate === undefined)
      texts.push(...approvalQuestions(calls, turn, now, atHomes.length > 0, await roomIn(turn.route)));
    for (const { conversation: home, language } of atHomes)
      texts.push(...homeQuestions(calls, turn, now, home, await roomIn(home), language));
  }
  return [...asks.map((asked) => ({ ...asked, texts: textsOf(asked, texts) })), ...told];
}

/** With its own questions, and a message about several calls with the first of them. */
function textsOf({ ask, texts: own = [] }: AskedOf, texts: readonly OutboxText[]): readonly OutboxText[] {
  const isFirst = ({ choices = [] }: OutboxText) => callOfChoice(choices[0]?.id ?? "") === ask.id;
  return [...own, ...texts.filter(isFirst)];
}

/** A call that has its result, and tells something later under an id of its own. Nobody is asked. */
function toldLater(
  { callId, name, later }: ToolResultEntry,
  of: { readonly all: readonly TranscriptEntry[]; readonly askers: readonly Asker[]; readonly heldBy: ProcessId },
): readonly AskedOf[] {
  if (later === undefined) return [];
  const { all, askers, heldBy } = of;
  const id = randomBytes(4).toString("hex");
  const call = { callId: newsCallId(callId), name, arguments: argumentsOf(callId, all) };
  return [{ ask: { id, ...call, ...later, askers, heldBy } }];
}

function argumentsOf(callId: string, entries: readonly TranscriptEntry[]): string {
  for (const entry of entries.toReversed()) {
    if (entry.kind === "call.settled" && entry.id === callId) return entry.arguments;
    const call = entry.kind === "assistant" && entry.toolCalls.find((one) => one.callId === callId);
    if (call) return call.arguments;
  }
  return "{}";
}

/** Those who asked choose by a button, or in words. */
function choosing(
  id: string,
  { callId }: ToolWaitingEntry,
  { question, choices }: AskedQuestion,
  { turnId, sessionKey, route }: AskingTurn,
): OutboxText {
  return {
    deliveryKey: brandAs<DeliveryKey>(`ask:${turnId}:${callId}`),
    kind: "notice",
    conversation: route,
    markdown: setApart(question),
    attachments: [],
    choices: choices.map((label, index) => ({ id: `answer-${id}-${index + 1}`, label })),
    sessionKey,
  };
}

function isSamePlace(one: Conversation, other: Conversation): boolean {
  return one.accountId === other.accountId && one.conversationId === other.conversationId;
}
