import { type AccountPolicy, brandAs, type InboundEvent, type Platform, type UserId } from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { policyWith } from "../../packages/sessions/src/testing/policy.ts";

/** Ada is the owner, Bob a member. Whoever else writes is a guest. */
const policy = policyWith({
  access: {
    direct: "open",
    groups: "open",
    owners: [brandAs<UserId>("ada")],
    allow: { users: [brandAs<UserId>("bob")], groups: [] },
  },
  sessions: { direct: "conversation", groups: "conversation" },
  catchUp: { maxAgeMs: Number.MAX_SAFE_INTEGER, notice: false },
});

/** As the gateway makes it for a webhook route. */
const routePolicy: AccountPolicy = { ...policy, access: { ...policy.access, owners: [], proven: "member" } };

export const accounts: Readonly<Record<string, { readonly platform: Platform; readonly policy: AccountPolicy }>> = {
  chat: { platform: "loopback", policy },
  mail: { platform: "email", policy },
  "webhook-ci": { platform: "webhook", policy: routePolicy },
};

type Facts = Parameters<typeof messageFrom>[0];
type Message = Extract<InboundEvent, { type: "message.created" }>;

/** Somebody's own conversation with the agent. */
export function inPrivate(from: string, text: string, more: Facts = {}): Message {
  return messageFrom({ account: "chat", from, name: nameOf(from), conversation: `private-${from}`, text, ...more });
}

/** In the team's group, to the agent. */
export function inGroup(from: string, text: string, more: Facts = {}): Message {
  const place = { account: "chat", conversation: "team", kind: "group", title: "Team" } as const;
  return messageFrom({ ...place, from, name: nameOf(from), text, mentionsSelf: true, ...more });
}

/** One thread of mails. What nobody has proven is `claimed`. */
export function byMail(from: string, text: string, assurance: "signed" | "claimed"): Message {
  return messageFrom({
    account: "mail",
    platform: "email",
    conversation: "thread",
    from,
    name: nameOf(from),
    text,
    assurance,
  });
}

/** A request of a webhook: the operator's words, with a field of the request's body in them. */
export function byWebhook(id: string, words: string, field: string): Message {
  const event = messageFrom({
    ...{ account: "webhook-ci", platform: "webhook", conversation: id, from: "ci", name: "webhook ci" },
    ...{ role: "system", assurance: "signed", mentionsSelf: true, text: `${words} ${field}` },
  });
  const span = { name: "body.text", start: words.length + 1, end: words.length + 1 + field.length };
  return { ...event, message: { ...event.message, values: [span] } };
}

/** A button of a question that the agent has asked. */
export function presses({ message, type: _, ...about }: Message, actionId: string): InboundEvent {
  return { ...about, type: "action.invoked", messageId: message.messageId, actionId };
}

function nameOf(from: string): string {
  return from.charAt(0).toUpperCase() + from.slice(1);
}
