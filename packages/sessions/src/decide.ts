import {
  type GrantScope,
  grantScopes,
  type InboundEvent,
  isAtLeast,
  type Role,
  type SessionKey,
} from "@talaria/protocol";
import type { CallStore, DirectSettlement, OpenCall } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";
import { noticeTo } from "./control.ts";
import { notices } from "./notices.ts";

export interface DecideDeps {
  readonly calls: Pick<CallStore, "find" | "waiting" | "grants" | "findGrant">;
}

/** `wakes`: the session whose call is decided by it. */
export type DecisionSettlement = DirectSettlement & { readonly wakes?: SessionKey };

/**
 * What `/approve`, `/deny`, and the buttons of a question do. Without an id they mean the only call that waits in the session.
 * `/approve` takes a number, with a scope behind it, or nothing: whoever writes `/approve no` has not agreed.
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
  const { id, scope, reason } = readArgument(command);
  const waiting = id === undefined ? (await calls.waiting(sessionKey)).filter(isApproval) : [];
  const answer = (markdown: string) => settlement(command, event, markdown);
  if (command.name === "approve" && !isPlain({ id, scope, reason })) return answer(notices.approveTakes(waiting));
  const call = id === undefined ? onlyOne(waiting) : await calls.find(id);
  if (call === undefined || !isAskedHere(call, event, role))
    return answer(waiting.length > 1 ? notices.waiting(waiting) : nothingFor(event, role));
  const { approver = "owner" } = call;
  if (event.sender.role !== "person" || !isAtLeast(role, approver))
    return refusal(event, notices.mayNotDecide(approver));
  const isApproved = command.name === "approve";
  if (scope !== undefined && !call.offer?.scopes.includes(scope)) return answer(notices.notOffered);
  if (scope === "always" && role !== "owner") return refusal(event, notices.onlyOwnersGrant);
  const approved = scope === undefined ? notices.approved : notices.granted(scope, call.offer?.covers ?? "");
  return {
    ...answer(isApproved ? approved : notices.denied),
    idleMarkdown: notices.decidedBefore,
    effect: {
      kind: "decide",
      id: call.id,
      sessionKey: call.sessionKey,
      settlement: isApproved ? "approved" : "denied",
      by: event.sender,
      ...(reason === "" ? {} : { content: reason }),
      ...(scope === undefined ? {} : { grant: { scope, byRole: role } }),
    },
    wakes: call.sessionKey,
  };
}

/** What `/revoke` does: an owner ends any agreement that counts here, a member those that members gave. */
export async function revoke(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { calls }: DecideDeps,
): Promise<DirectSettlement> {
  const id = command.argument?.toLowerCase() ?? "";
  const isHere = (await calls.grants(sessionKey, event.conversation.accountId)).some((grant) => grant.id === id);
  const grant = isHere ? await calls.findGrant(id) : undefined;
  if (grant === undefined) return settlement(command, event, notices.nothingToRevoke);
  const needed = grant.byRole === "owner" ? "owner" : "member";
  if (event.sender.role !== "person" || !isAtLeast(role, needed)) return refusal(event, notices.mayNotDecide(needed));
  return {
    ...settlement(command, event, notices.revoked),
    idleMarkdown: notices.nothingToRevoke,
    effect: { kind: "revoke", id, sessionKey: grant.sessionKey },
  };
}

const idForm = /^[0-9a-f]{8}$/;
const longestReason = 500;

interface Argument {
  readonly id?: string | undefined;
  /** Agrees to further calls as well. */
  readonly scope?: GrantScope | undefined;
  readonly reason: string;
}

function readArgument({ name, argument = "" }: GivenCommand): Argument {
  const [first = "", ...rest] = argument.trim().split(/\s+/);
  const id = idForm.test(first.toLowerCase()) ? first.toLowerCase() : undefined;
  const words = id === undefined ? [first, ...rest] : rest;
  const scope = name === "approve" ? grantScopes.find((one) => one === words[0]?.toLowerCase()) : undefined;
  const reason = words
    .slice(scope === undefined ? 0 : 1)
    .join(" ")
    .slice(0, longestReason);
  return { reason, ...(id === undefined ? {} : { id }), ...(scope === undefined ? {} : { scope }) };
}

/** Nothing stands there, or a number with or without what is agreed to beyond the call. */
function isPlain({ id, scope, reason }: Argument): boolean {
  return reason === "" && (id !== undefined || scope === undefined);
}

function onlyOne(calls: readonly OpenCall[]): OpenCall | undefined {
  return calls.length === 1 ? calls[0] : undefined;
}

/** Nobody decides from elsewhere what people of another place were asked; an owner may, where nobody else reads along. */
function isAskedHere(call: OpenCall, event: InboundEvent, role: Role): boolean {
  if (!isApproval(call)) return false;
  return isSamePlace(call, event) || (role === "owner" && event.conversation.kind === "direct");
}

function nothingFor({ conversation }: InboundEvent, role: Role): string {
  return role === "owner" && conversation.kind === "direct"
    ? `${notices.nothingToDecide} ${notices.perhapsElsewhere}`
    : notices.nothingToDecide;
}

export function isApproval({ waitsFor }: OpenCall): boolean {
  return waitsFor === "approval";
}

/** Whether an event comes from where people were asked. */
export function isSamePlace({ route }: OpenCall, { conversation }: InboundEvent): boolean {
  return route.accountId === conversation.accountId && route.conversationId === conversation.conversationId;
}

/** Whoever presses a button often is told once an hour in a group. */
export function refusal(event: InboundEvent, markdown: string): DirectSettlement {
  const notice = noticeTo(event, "command", markdown, "refused");
  return { event, outcome: "refused", reason: "may_not_decide", notice };
}

export function settlement({ name }: GivenCommand, event: InboundEvent, markdown: string): DirectSettlement {
  return { event, outcome: "command", reason: `command:${name}`, notice: noticeTo(event, "command", markdown) };
}
