import { coveredText } from "@talaria/policy";
import {
  brandAs,
  type GrantScope,
  grantScopes,
  type InboundEvent,
  isAtLeast,
  isHomeOf,
  type MessageId,
  mandateOf,
  type Role,
  type SessionKey,
} from "@talaria/protocol";
import type { CallStore, DirectSettlement, OpenCall } from "@talaria/store";
import { callLanguageOf, wholeText, wordsFor } from "@talaria/words";
import type { AdmissionReason } from "./admission-reasons.ts";
import type { GivenCommand } from "./commands.ts";
import { noticeTo } from "./control.ts";
import { answeredCalls, type Placed, placedCalls } from "./decision-words.ts";
import { isAsked } from "./is-asked.ts";

export interface DecideDeps {
  readonly calls: Pick<CallStore, "find" | "waiting" | "listed" | "shownIn" | "isShownWhole" | "grants" | "findGrant">;
}

/** `wakes`: the session whose call is decided by it. */
export type DecisionSettlement = DirectSettlement & { readonly wakes?: SessionKey };

/**
 * What `/approve`, `/deny`, and the buttons of a question do. Without an id they mean the call of the question that they answer, or the only
 * one that waits in the session.
 * `/approve` takes a number, with a scope behind it, or nothing: whoever writes `/approve no` has not agreed. In an answer to a message
 * that lists several calls, `2` is the second of them, `1 and 3` are those two, and `all` those that it lists and that wait; anywhere else they mean nothing.
 * Who decides must be a person with the role that the call asks for, and decide where it was asked; an owner may do so in
 * private. Whoever alone has asked for a call may deny it, too.
 */
export async function decide(
  command: DecisionCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { calls }: DecideDeps,
  isAbove = false,
): Promise<DecisionSettlement> {
  if (command.list !== undefined) {
    const shown = await calls.listed(command.list);
    return decideAll(command, event, role, { calls: shown }, shown);
  }
  const words = wordsFor(event);
  const shown = await answeredCalls(event, { calls }, isAbove);
  const listed = shown.length > 1 ? shown : [];
  const [answered] = shown.length === 1 ? shown : [];
  const argument = readArgument(command, listed, answered);
  const placed = placedCalls(command, listed);
  if (placed !== undefined && placed.calls.length > 0) return decideAll(command, event, role, placed, listed);
  const { id } = argument;
  const waiting =
    id !== undefined && placed === undefined ? [] : (await waitingOf(listed, sessionKey, calls)).filter(isApproval);
  const answer = (markdown: string) => settlement(command, event, markdown);
  if (placed !== undefined || !isPlain(command, argument))
    return answer(words.decisionNotices.takes(command.name, waiting));
  const call = id === undefined ? onlyOne(waiting) : id === answered?.id ? answered : await calls.find(id);
  if (call === undefined || !isAskedHere(call, event, role))
    return answer(
      noneOf(command, event, role, {
        waiting,
        listed: id === undefined ? await askedOf(listed, event, calls) : listed,
      }),
    );
  const decision = decideOne(command, event, role, call, argument);
  const isUnseen = decision.effect !== undefined && (await wasNotShown(command, event, call, calls));
  return isUnseen ? answer(words.notices.shownFirst(call, argument.scope)) : decision;
}

/** From another conversation somebody may know a number without what it stands for. A button stands below its question. */
async function wasNotShown(
  { name }: DecisionCommand,
  event: InboundEvent,
  call: OpenCall,
  calls: Pick<CallStore, "isShownWhole">,
): Promise<boolean> {
  if (name !== "approve" || event.type === "action.invoked" || isSamePlace(call, event)) return false;
  return (
    call.settlement === undefined &&
    !call.isOverdue &&
    !(await calls.isShownWhole(call.id, event.conversation, wholeText(call, callLanguageOf(wordsFor(event)))))
  );
}

type DecisionCommand = GivenCommand & { readonly name: "approve" | "deny" };

function decideOne(
  command: DecisionCommand,
  event: InboundEvent,
  role: Role,
  call: OpenCall,
  { scope, reason }: Argument,
): DecisionSettlement {
  const { notices, decisionNotices, callPhrases } = wordsFor(event);
  const answer = (markdown: string) => settlement(command, event, markdown);
  const { approver = "owner" } = call;
  const isWithdrawn = isWithdrawal(command, event, role, [call]);
  if (!isWithdrawn && (event.sender.role !== "person" || !isAtLeast(role, approver)))
    return refusal(event, notices.mayNotDecide(approver));
  const isApproved = command.name === "approve";
  const denied = isWithdrawn ? notices.withdrawn : notices.denied;
  const why = isWithdrawn && reason === "" ? withdrawnBecause : reason;
  if (scope !== undefined && !call.offer?.scopes.includes(scope)) return answer(notices.notOffered);
  if (scope === "always" && role !== "owner") return refusal(event, notices.onlyOwnersGrant);
  const covers = call.offer === undefined ? "" : coveredText(call.offer, callPhrases);
  const approved = scope === undefined ? notices.approved : notices.granted(scope, covers);
  return {
    ...answer(isApproved ? approved : denied),
    idleMarkdown: decisionNotices.decidedBefore([call]),
    effect: {
      kind: "decide",
      id: call.id,
      sessionKey: call.sessionKey,
      settlement: isApproved ? "approved" : "denied",
      by: event.sender,
      ...(isWithdrawn ? { takesBack: true } : {}),
      ...(why === "" ? {} : { content: why }),
      ...(scope === undefined ? {} : { grant: { scope, byRole: role } }),
    },
    wakes: call.sessionKey,
  };
}

const withdrawnBecause = "withdrawn by whoever had asked for it";

/** Whoever alone has asked for something may take that back, and nothing more. Who decides anyway has denied it. */
function isWithdrawal(command: DecisionCommand, event: InboundEvent, role: Role, calls: readonly OpenCall[]): boolean {
  if (command.name !== "deny") return false;
  return calls.every(
    ({ askers, approver = "owner" }) =>
      !isAtLeast(role, approver) && askers.length > 0 && askers.every((one) => isAsked({ askers: [one] }, event)),
  );
}

/** What whoever decides reads where no question is meant that they may decide here. */
function noneOf(
  { name }: DecisionCommand,
  event: InboundEvent,
  role: Role,
  { waiting, listed }: { readonly waiting: readonly OpenCall[]; readonly listed: readonly OpenCall[] },
): string {
  const { decisionNotices } = wordsFor(event);
  if (waiting.length > 1) return decisionNotices.whichOne(name, waiting);
  return listed.length > 0 && waiting.length === 0 ? decisionNotices.decidedBefore(listed) : nothingFor(event, role);
}

/** Those of a list that are meant and wait, and nothing else, however many have been decided or asked meanwhile. */
function decideAll(
  command: DecisionCommand,
  event: InboundEvent,
  role: Role,
  { calls: meant, reason }: Placed,
  listed: readonly OpenCall[],
): DecisionSettlement {
  const { notices, decisionNotices } = wordsFor(event);
  const isWaiting = (call: OpenCall) =>
    call.settlement === undefined && !call.isOverdue && isAskedHere(call, event, role);
  const waiting = meant.filter(isWaiting);
  const [first, ...others] = waiting;
  if (first === undefined)
    return settlement(
      command,
      event,
      meant.length === 0 ? nothingFor(event, role) : decisionNotices.decidedBefore(meant),
    );
  const needed = waiting.some(({ approver = "owner" }) => approver === "owner") ? "owner" : "member";
  const isWithdrawn = isWithdrawal(command, event, role, waiting);
  if (!isWithdrawn && (event.sender.role !== "person" || !isAtLeast(role, needed)))
    return refusal(event, notices.mayNotDecide(needed));
  const isApproved = command.name === "approve";
  const why = reason ?? (isWithdrawn ? withdrawnBecause : undefined);
  const placesOf = (some: readonly OpenCall[]) =>
    listed.flatMap(({ id }, index) => (some.some((one) => one.id === id) ? [index + 1] : []));
  const left = listed.filter((call) => isWaiting(call) && !waiting.includes(call));
  const done = decisionNotices.done(command.name, { decided: placesOf(waiting), left: placesOf(left) });
  return {
    ...settlement(command, event, done),
    idleMarkdown: decisionNotices.decidedBefore(waiting),
    effect: {
      kind: "decide",
      id: first.id,
      also: others.map(({ id }) => id),
      sessionKey: first.sessionKey,
      settlement: isApproved ? "approved" : "denied",
      by: event.sender,
      ...(isWithdrawn ? { takesBack: true } : {}),
      ...(why === undefined ? {} : { content: why.slice(0, longestReason) }),
    },
    wakes: first.sessionKey,
  };
}

/** Whoever answers a list means one of it. */
async function waitingOf(
  listed: readonly OpenCall[],
  sessionKey: SessionKey,
  calls: Pick<CallStore, "waiting">,
): Promise<readonly OpenCall[]> {
  return listed.length > 0 ? listed.filter(({ settlement }) => settlement === undefined) : calls.waiting(sessionKey);
}

/** What a list asks, or what was asked by the message that the thread stands below. */
async function askedOf(
  listed: readonly OpenCall[],
  event: InboundEvent,
  calls: Pick<CallStore, "shownIn">,
): Promise<readonly OpenCall[]> {
  const { threadId } = event.conversation;
  if (listed.length > 0 || threadId === undefined) return listed;
  const above = await calls.shownIn(event.conversation, brandAs<MessageId>(threadId));
  return above.filter((call) => isApproval(call) && call.settlement !== undefined);
}

/** What `/revoke` does: an owner ends any agreement that counts here, a member those that members gave. */
export async function revoke(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { calls }: DecideDeps,
): Promise<DirectSettlement> {
  const { notices } = wordsFor(event);
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
/** A place in a list, or all of it: nobody's reason. */
const isPlace = /^(?:all|[1-9])$/i;

interface Argument {
  readonly id?: string | undefined;
  /** Agrees to further calls as well. */
  readonly scope?: GrantScope | undefined;
  readonly reason: string;
}

/** `answered`: the only call of the question that the command answers, which it means unless it names another. */
function readArgument(
  { name, argument = "" }: GivenCommand,
  listed: readonly OpenCall[],
  answered: OpenCall | undefined,
): Argument {
  const [first = "", ...rest] = argument.trim().split(/\s+/);
  const placed = /^[1-9]$/.test(first) ? listed[Number(first) - 1]?.id : undefined;
  const id = idForm.test(first.toLowerCase()) ? first.toLowerCase() : placed;
  const words = id === undefined ? [first, ...rest] : rest;
  const scope = name === "approve" ? grantScopes.find((one) => one === words[0]?.toLowerCase()) : undefined;
  const reason = words
    .slice(scope === undefined ? 0 : 1)
    .join(" ")
    .slice(0, longestReason);
  const isOfAnswered = id === undefined && !(name === "deny" && isPlace.test(reason));
  const meant = id ?? (isOfAnswered ? answered?.id : undefined);
  return { reason, ...(meant === undefined ? {} : { id: meant }), ...(scope === undefined ? {} : { scope }) };
}

/** Nothing stands there, or a number with or without what is agreed to beyond the call; with a denial, a reason. */
function isPlain({ name }: DecisionCommand, { id, scope, reason }: Argument): boolean {
  if (name === "deny") return id !== undefined || !isPlace.test(reason);
  return reason === "" && (id !== undefined || scope === undefined);
}

function onlyOne(calls: readonly OpenCall[]): OpenCall | undefined {
  return calls.length === 1 ? calls[0] : undefined;
}

/** Nobody decides from elsewhere what people of another place were asked; an owner may, where nobody else reads along: of what is done on an owner's behalf, that one alone. */
export function isAskedHere(call: OpenCall, event: InboundEvent, role: Role): boolean {
  if (!isApproval(call)) return false;
  const { conversation, sender } = event;
  const mandate = mandateOf(call.askers);
  const isTheirs = mandate === undefined || isHomeOf(mandate, { userId: sender.userId, conversation });
  return isSamePlace(call, event) || (role === "owner" && conversation.kind === "direct" && isTheirs);
}

function nothingFor(event: InboundEvent, role: Role): string {
  const { notices } = wordsFor(event);
  return role === "owner" && event.conversation.kind === "direct"
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
  return { event, outcome: "refused", reason: "may_not_decide" satisfies AdmissionReason, notice };
}

export function settlement({ name }: GivenCommand, event: InboundEvent, markdown: string): DirectSettlement {
  return { event, outcome: "command", reason: `command:${name}`, notice: noticeTo(event, "command", markdown) };
}
