import {
  type Asker,
  brandAs,
  type Conversation,
  type DeliveryKey,
  type GrantOffer,
  isAtLeast,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import type { Ask, OutboxText } from "@talaria/store";
import { approvalNotices as notices, type Reach } from "./approval-notices.ts";

/** What somebody has to approve. */
export type Approvable = Pick<Ask, "id" | "callId" | "shown" | "approver" | "expiresAt" | "offer" | "askers">;

export interface AskingPlace {
  readonly turnId: TurnId;
  readonly sessionKey: SessionKey;
  /** Where the answer of the turn goes. */
  readonly route: Conversation;
}

/** The question where the answer goes. `isAskedElsewhere`: an owner is asked at home as well. `now` is in milliseconds since 1970. */
export function approvalQuestion(
  call: Approvable,
  place: AskingPlace,
  now: number,
  isAskedElsewhere: boolean,
): OutboxText {
  return questionIn(place.route, call, place, now, reachOf(call, place, isAskedElsewhere));
}

/** The same at an owner's home, who reads who wants it, and where. The button decides in either place. */
export function homeQuestion(call: Approvable, place: AskingPlace, now: number, home: Conversation): OutboxText {
  const { accountId, title, conversationId } = place.route;
  const names = call.askers.map(({ sender }) => sender.displayName);
  const text = questionIn(home, call, place, now, "here");
  return {
    ...text,
    deliveryKey: brandAs<DeliveryKey>(`${text.deliveryKey}:${home.accountId}:${home.conversationId}`),
    markdown: `${notices.askedElsewhere(names, title ?? conversationId, accountId)}\n\n${text.markdown}`,
  };
}

function reachOf({ askers, approver = "owner" }: Approvable, { route }: AskingPlace, isAskedElsewhere: boolean): Reach {
  const isHere = askers.some(({ role, sender }: Asker) => sender.role === "person" && isAtLeast(role, approver));
  if (isHere) return "here";
  if (route.kind === "direct") return isAskedElsewhere ? "elsewhere" : "nowhere";
  return isAskedElsewhere || approver !== "owner" ? "here" : "group";
}

function questionIn(
  conversation: Conversation,
  { id, callId, shown, approver = "owner", expiresAt, offer }: Approvable,
  { turnId, sessionKey }: AskingPlace,
  now: number,
  reach: Reach,
): OutboxText {
  return {
    deliveryKey: brandAs<DeliveryKey>(`ask:${turnId}:${callId}`),
    kind: "notice",
    conversation,
    markdown: notices.asksApproval({ shown, approver, id, endsInMs: Date.parse(expiresAt) - now, offer, reach }),
    attachments: [],
    choices: choicesOf(id, offer),
    sessionKey,
  };
}

function choicesOf(id: string, offer: GrantOffer | undefined): NonNullable<OutboxText["choices"]> {
  return [
    { id: `approve-${id}`, label: notices.approve },
    { id: `deny-${id}`, label: notices.deny },
    ...(offer?.scopes ?? []).map((scope) => ({ id: `${scope}-${id}`, label: notices.grants[scope] })),
  ];
}
