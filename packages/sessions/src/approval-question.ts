import { createHash } from "node:crypto";
import { coveredText } from "@talaria/policy";
import {
  type Asker,
  brandAs,
  type Choice,
  type Conversation,
  type DeliveryKey,
  isAtLeast,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import type { Ask, OutboxText } from "@talaria/store";
import {
  askedText,
  type CallLanguage,
  callLanguageOf,
  type Reach,
  type Words,
  wordsAt,
  wordsFor,
} from "@talaria/words";

/** What somebody has to approve. */
export type Approvable = Pick<Ask, "id" | "callId" | "shown" | "words" | "approver" | "expiresAt" | "offer" | "askers">;

export interface AskingPlace {
  readonly turnId: TurnId;
  readonly sessionKey: SessionKey;
  /** Where the answer of the turn goes. */
  readonly route: Conversation;
}

/** What a message holds where people are asked. Absent: not known, and each call is asked about in a message of its own. */
export interface QuestionRoom {
  readonly maxTextLength?: number;
  readonly choices?: { readonly max?: number; readonly maxRows?: number };
}

type Calls = readonly [Approvable, ...Approvable[]];

/** What the words around a list of calls and around each of them take, in characters, with some to spare. */
const aroundAll = 500;
const aroundEach = 120;

/**
 * The questions where the answer goes: one message about all these calls, or as few as hold them. They were made at the same time, in
 * one turn. `isAskedElsewhere`: an owner is asked at home as well. `now` is in milliseconds since 1970.
 */
export function approvalQuestions(
  calls: readonly Approvable[],
  place: AskingPlace,
  now: number,
  isAskedElsewhere: boolean,
  room?: QuestionRoom,
): readonly OutboxText[] {
  return messagesOf(calls, room).map((some) => {
    const words = wordsFor({ conversation: place.route, sender: some[0].askers[0]?.sender });
    return questionIn(place.route, some, {
      ...{ ...place, now, room, words },
      reach: reachOf(some[0], place, isAskedElsewhere),
    });
  });
}

/** The same at an owner's home, in their language, who reads who wants it, and where. The buttons decide in either place. */
export function homeQuestions(
  calls: readonly Approvable[],
  place: AskingPlace,
  now: number,
  home: Conversation,
  room?: QuestionRoom,
  language?: string,
): readonly OutboxText[] {
  const words = wordsAt({ conversation: home, language });
  return messagesOf(calls, room).map((some) => {
    const names = some[0].askers.map(({ sender }) => sender.displayName);
    const text = questionIn(home, some, { ...place, now, room, words, reach: "here" });
    return {
      ...text,
      deliveryKey: brandAs<DeliveryKey>(`${text.deliveryKey}:${home.accountId}:${home.conversationId}`),
      markdown: `${words.approvalNotices.askedElsewhere(names, place.route)}\n\n${text.markdown}`,
    };
  });
}

/** Calls that different people decide about, or that were made in different turns, share no message. */
export function askedTogether<Call extends Pick<Approvable, "approver">>(
  calls: readonly Call[],
  of: (call: Call) => string = () => "",
): readonly (readonly Call[])[] {
  return [...Map.groupBy(calls, (call) => JSON.stringify([call.approver ?? "owner", of(call)])).values()];
}

function messagesOf(calls: readonly Approvable[], room: QuestionRoom = {}): readonly Calls[] {
  const messages: [Approvable, ...Approvable[]][] = [];
  for (const call of calls) {
    const last = messages.at(-1);
    if (last !== undefined && fits([...last, call], room)) last.push(call);
    else messages.push([call]);
  }
  return messages;
}

function fits(calls: readonly Approvable[], { maxTextLength = 0, choices = {} }: QuestionRoom): boolean {
  const length = calls.reduce(
    (sum, { shown, offer }) => sum + shown.length + (offer?.covers.length ?? 0) + aroundEach,
    aroundAll,
  );
  if (length > maxTextLength) return false;
  const buttons = calls.reduce((sum, { offer }) => sum + 2 + (offer?.scopes.length ?? 0), 2);
  const { max = buttons, maxRows = buttons } = choices;
  return buttons <= max && calls.length < maxRows;
}

function reachOf({ askers, approver = "owner" }: Approvable, { route }: AskingPlace, isAskedElsewhere: boolean): Reach {
  const isHere = askers.some(({ role, sender }: Asker) => sender.role === "person" && isAtLeast(role, approver));
  if (isHere) return "here";
  if (route.kind === "direct") return isAskedElsewhere ? "elsewhere" : "nowhere";
  return isAskedElsewhere || approver !== "owner" ? "here" : "group";
}

interface Asking extends Omit<AskingPlace, "route"> {
  readonly now: number;
  readonly room: QuestionRoom | undefined;
  readonly reach: Reach;
  readonly words: Words;
}

type Notices = Words["approvalNotices"];

function questionIn(
  conversation: Conversation,
  asked: Calls,
  { turnId, sessionKey, now, room, reach, words }: Asking,
): OutboxText {
  const { approvalNotices: notices } = words;
  const language = callLanguageOf(words);
  const first = offeredIn(asked[0], language);
  const others = asked.slice(1).map((call) => offeredIn(call, language));
  const calls: Calls = [first, ...others];
  const approver = first.approver ?? "owner";
  const endsInMs = Math.min(...calls.map(({ expiresAt }) => Date.parse(expiresAt))) - now;
  const about = { approver, endsInMs, reach };
  return {
    deliveryKey: brandAs<DeliveryKey>(`ask:${turnId}:${first.callId}`),
    kind: "notice",
    conversation,
    markdown:
      others.length === 0
        ? notices.asksApproval({
            ...about,
            ...textIn(first, room, { notices, language }),
            id: first.id,
            offer: first.offer,
          })
        : notices.asksApprovals({ ...about, calls: calls.map((call) => ({ ...call, ...askedText(call, language) })) }),
    attachments: [],
    choices: mayDecide(reach)
      ? others.length === 0
        ? choicesOf(first, notices)
        : choicesOfAll(calls, notices)
      : choicesOfAsker(calls, notices),
    sessionKey,
  };
}

/** With what is offered besides in the reader's language. */
function offeredIn(call: Approvable, { phrases }: CallLanguage): Approvable {
  const { offer } = call;
  return offer === undefined ? call : { ...call, offer: { ...offer, covers: coveredText(offer, phrases) } };
}

/** As one message holds it, where that is known. */
function textIn(
  call: Approvable,
  { maxTextLength = Number.POSITIVE_INFINITY }: QuestionRoom = {},
  { notices, language }: { readonly notices: Notices; readonly language: CallLanguage },
) {
  const { text, leftOut } = askedText(call, language, maxTextLength - aroundAll - (call.offer?.covers.length ?? 0));
  return { text: call.words === undefined ? `${notices.earlier}\n\n${text}` : text, leftOut };
}

function choicesOf({ id, offer }: Approvable, notices: Notices): readonly Choice[] {
  return [
    { id: `approve-${id}`, label: notices.approve },
    { id: `deny-${id}`, label: notices.deny },
    ...(offer?.scopes ?? []).map((scope) => ({ id: `${scope}-${id}`, label: notices.grants[scope] })),
  ];
}

/** Whether anybody reads it there who may decide. */
function mayDecide(reach: Reach): boolean {
  return reach === "here" || reach === "group";
}

/** Whoever has asked, and may not decide, can only take it back. The text says how without a button: no number stands for it. */
function choicesOfAsker(calls: Calls, notices: Notices): readonly Choice[] {
  return calls.map(({ id }, index) => {
    const n = index + 1;
    return { id: `deny-${id}`, label: calls.length === 1 ? notices.takeBack : notices.takeBackNumber(n), row: n };
  });
}

/** A row for each call, by its place in the list, and one for all of them. */
function choicesOfAll(calls: Calls, notices: Notices): readonly Choice[] {
  const each = calls.flatMap(({ id, offer }, index) => {
    const [n, row] = [index + 1, index + 1];
    return [
      { id: `approve-${id}`, label: notices.approveNumber(n), row },
      { id: `deny-${id}`, label: notices.denyNumber(n), row },
      ...(offer?.scopes ?? []).map((scope) => ({ id: `${scope}-${id}`, label: notices.grantNumber(n, scope), row })),
    ];
  });
  const row = calls.length + 1;
  const list = listId(calls);
  return [
    ...each,
    { id: `approveall-${list}`, label: notices.approveAll, row },
    { id: `denyall-${list}`, label: notices.denyAll, row },
  ];
}

/** Names exactly these calls: a button for all of them never means another list, not even a longer one that begins alike. */
function listId(calls: Calls): string {
  const ids = calls.map(({ id }) => id);
  return `${ids[0]}-${createHash("sha256").update(ids.join()).digest("hex").slice(0, 12)}`;
}
