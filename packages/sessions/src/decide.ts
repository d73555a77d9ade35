import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { CallStore, DirectSettlement, OpenCall } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";
import { noticeTo } from "./control.ts";
import { notices } from "./notices.ts";

export interface DecideDeps {
  readonly calls: Pick<CallStore, "find" | "waiting">;
}

/** `wakes`: the session whose call is decided by it. */
export type DecisionSettlement = DirectSettlement & { readonly wakes?: SessionKey };

/**
 * What `/approve`, `/deny`, and the buttons of a question do. Without an id they mean the only call that waits in the session.
 * Who decides must be a person with the role that the call asks for, and decide where it was asked; an owner may do so in
 * private.
 */
export async function decide(
  command: GivenCommand & { readonly name: "approve" | "deny" },
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { calls }: DecideDeps,
): Promise<DecisionSettlement> {
  const { id, reason } = readArgument(command.argument);
  const waiting = id === undefined ? await calls.waiting(sessionKey) : [];
  const call = id === undefined ? onlyOne(waiting) : await calls.find(id);
  const answer = (markdown: string) => settlement(command, event, markdown);
  if (call === undefined || !isAskedHere(call, event, role))
    return answer(waiting.length > 1 ? notices.waiting(waiting) : notices.nothingToDecide);
  const { approver = "owner" } = call;
  if (!isAtLeast(role, approver))
    return refusal(event, notices.mayNotDecide(approver));
  const isApproved = command.name === "approve";
  return {
    ...answer(isApproved ? notices.approved : notices.denied),
    idleMarkdown: notices.decidedBefore,
    effect: {
      kind: "decide",
      id: call.id,
      sessionKey: call.sessionKey,
      settlement: isApproved ? "approved" : "denied",
      by: event.sender,
      ...(reason === "" ? {} : { content: reason }),
    },
    wakes: call.sessionKey,
  };
}

/** What `/approvals` answers. */
export async function listApprovals(
  event: InboundEvent,
  sessionKey: SessionKey,
  { calls }: DecideDeps,
): Promise<DirectSettlement> {
  const waiting = await calls.waiting(sessionKey);
  const markdown = waiting.length === 0 ? notices.nothingToDecide : notices.waiting(waiting);
  return settlement({ name: "approvals" }, event, markdown);
}

const idForm = /^[0-9a-f]{8}$/;
const longestReason = 500;

function readArgument(argument = ""): { readonly id?: string; readonly reason: string } {
  const [first = "", ...rest] = argument.trim().split(/\s+/);
  const isId = idForm.test(first.toLowerCase());
  const reason = (isId ? rest.join(" ") : argument.trim()).slice(0, longestReason);
  return { reason, ...(isId ? { id: first.toLowerCase() } : {}) };
}

function onlyOne(calls: readonly OpenCall[]): OpenCall | undefined {
  return calls.length === 1 ? calls[0] : undefined;
}

/** Nobody decides from elsewhere what people of another place were asked; an owner may, where nobody else reads along. */
function isAskedHere({ waitsFor, route }: OpenCall, { conversation }: InboundEvent, role: Role): boolean {
  if (waitsFor !== "approval") return false;
  const isSame = route.accountId === conversation.accountId && route.conversationId === conversation.conversationId;
  return isSame || (role === "owner" && conversation.kind === "direct");
}

/** Whoever presses a button often is told once an hour in a group. */
function refusal(event: InboundEvent, markdown: string): DirectSettlement {
  const notice = noticeTo(event, "command", markdown, "refused");
  return { event, outcome: "refused", reason: "may_not_decide", notice };
}

function settlement({ name }: GivenCommand, event: InboundEvent, markdown: string): DirectSettlement {
  return { event, outcome: "command", reason: `command:${name}`, notice: noticeTo(event, "command", markdown) };
}
