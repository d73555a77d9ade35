import {
  type AccountPolicy,
  brandAs,
  type InboundEvent,
  isAtLeast,
  type MessageId,
  type Role,
} from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";
import type { Decision } from "./admit.ts";
import { isSamePlace } from "./decide.ts";
import type { GateDeps } from "./gate-deps.ts";
import { isAsked } from "./is-asked.ts";

interface Given {
  readonly event: InboundEvent;
  readonly policy: AccountPolicy;
  readonly role: () => Promise<Role>;
  readonly deps: Pick<GateDeps, "calls" | "traitsOf">;
}

/**
 * The call that waits and whose question an event's thread stands below, where its sender may answer that: on the platforms whose people
 * talk in threads, those are their replies. A thread has a session of its own, in which nothing waits.
 */
export async function askedAbove(
  decision: Decision,
  { event, policy, role, deps }: Given,
): Promise<OpenCall | undefined> {
  const { accountId, threadId } = event.conversation;
  if (event.type !== "message.created" || threadId === undefined || !isMeant(decision, event)) return undefined;
  if (deps.traitsOf?.(accountId)?.threads !== "talks") return undefined;
  // The thread is named by its first message.
  const shown = await deps.calls.shownIn(event.conversation, brandAs<MessageId>(threadId));
  const call = shown.find(({ settlement }) => settlement === undefined);
  if (call === undefined || call.isOverdue || call.isAbandoned || !isSamePlace(call, event)) return undefined;
  if (isAsked(call, event)) return call;
  // What others than its askers say is in their session too, unless everybody has their own.
  if (call.waitsFor !== "approval" || event.sender.role !== "person" || policy.sessions.groups === "sender")
    return undefined;
  return isAtLeast(await role(), call.approver ?? "owner") ? call : undefined;
}

/** Whoever names somebody else, and not us, talks to them. */
function isMeant(
  decision: Decision,
  { message }: Extract<InboundEvent, { readonly type: "message.created" }>,
): boolean {
  if (decision.kind === "turn") return true;
  if (decision.kind === "command") return decision.command.name === "approve" || decision.command.name === "deny";
  return decision.kind === "ignore" && decision.reason === "not_addressed" && message.mentions.length === 0;
}
