import { createHash } from "node:crypto";
import { type Instant, instantOf, isAtLeast, type Role, type Sender, type UserId } from "@talaria/protocol";
import type { PolicyDecision } from "./decide.ts";
import { type Grant, type GrantTerms, termsFor } from "./grant.ts";
import type { PolicyRequest } from "./request.ts";
import type { Approver } from "./rule.ts";
import type { Shown } from "./shown.ts";

/** `once`: this call. `session` and `always`: also later calls that its patterns cover. */
export type ApprovalScope = "once" | "session" | "always";

export type ApprovalState =
  | { readonly status: "open" }
  | { readonly status: "approved"; readonly scope: ApprovalScope; readonly by: UserId; readonly at: Instant }
  | { readonly status: "denied"; readonly by: UserId; readonly at: Instant; readonly reason?: string }
  | { readonly status: "expired"; readonly at: Instant };

/** A question whether one call may run. Plain JSON. Whoever keeps it compares and sets `state` in one step. */
export interface Approval {
  readonly callId: string;
  /** Of the tool's name and the arguments as shown: see `digestOf`. */
  readonly digest: string;
  readonly shown: Shown;
  readonly approverRole: Approver;
  /** If there are any, a member has to be one of them. An owner need not. */
  readonly approvers: readonly UserId[];
  readonly expiresAt: Instant;
  readonly scopes: readonly ApprovalScope[];
  /** What `session` and `always` are for. The approver sees its patterns. Absent: only `once` is offered. */
  readonly terms?: GrantTerms;
  readonly state: ApprovalState;
}

export interface Call {
  readonly callId: string;
  readonly name: string;
  /** JSON, as the model wrote it and the journal keeps it. */
  readonly arguments: string;
}

export interface ApprovalTerms {
  readonly request: PolicyRequest;
  readonly decision: PolicyDecision;
  readonly expiresAt: Instant;
  /** Default: anybody with the role. */
  readonly approvers?: readonly UserId[];
}

/**
 * The question about a call that policy wants asked. A text that is cut or has hidden characters can be approved only once;
 * `always` is not offered after taint either.
 */
export function askFor(
  call: Call,
  shown: Shown,
  { request, decision, expiresAt, approvers = [] }: ApprovalTerms,
): Approval {
  const terms = termsFor(request, decision, shown);
  const scopes: readonly ApprovalScope[] =
    terms === undefined ? ["once"] : request.isTainted ? ["once", "session"] : ["once", "session", "always"];
  return {
    callId: call.callId,
    digest: digestOf(call),
    shown,
    approverRole: decision.approver ?? "owner",
    approvers,
    expiresAt,
    scopes,
    ...(terms === undefined ? {} : { terms }),
    state: { status: "open" },
  };
}

/** SHA-256 over the tool's name and the arguments, in hex. */
export function digestOf({ name, arguments: text }: Pick<Call, "name" | "arguments">): string {
  return createHash("sha256")
    .update(JSON.stringify([name, text]))
    .digest("hex");
}

/** What somebody pressed or wrote. `digest` is the one of the question that they saw. */
export interface ApprovalAnswer {
  readonly choice: "approve" | "deny";
  /** Default: once. */
  readonly scope?: ApprovalScope;
  readonly digest: string;
  /** Why not, for the model. */
  readonly reason?: string;
}

/** Whoever answers, as the gateway knows them: never as a message says. */
export interface Answerer {
  readonly sender: Pick<Sender, "userId" | "role" | "assurance">;
  readonly role: Role;
}

export type RefusedAnswer = "already-settled" | "expired" | "arguments-changed" | "wrong-person" | "scope-not-offered";

export type Settling =
  | { readonly outcome: "accepted"; readonly approval: Approval; readonly grant?: Grant }
  | { readonly outcome: "refused"; readonly reason: RefusedAnswer; readonly text: string };

/** What the one who answered is told. */
const refusals: Readonly<Record<RefusedAnswer, string>> = {
  "already-settled": "This was already decided. Nothing has changed.",
  expired: "This question has expired. Nothing was done.",
  "arguments-changed": "The action has changed since it was shown. Nothing was done.",
  "wrong-person": "You can't decide this.",
  "scope-not-offered": "This can be approved only as it was offered. Nothing was done.",
};

/** Takes an answer. `now` is in milliseconds since 1970. Refused answers change nothing, and the right one may still come. */
export function settle(approval: Approval, answer: ApprovalAnswer, who: Answerer, now: number): Settling {
  const reason = refusalOf(approval, answer, who, now);
  if (reason !== undefined) return { outcome: "refused", reason, text: refusals[reason] };
  const [by, at] = [who.sender.userId, instantOf(now)];
  if (answer.choice === "deny") {
    const why = answer.reason === undefined ? {} : { reason: answer.reason };
    return { outcome: "accepted", approval: { ...approval, state: { status: "denied", by, at, ...why } } };
  }
  const { scope = "once" } = answer;
  const settled: Approval = { ...approval, state: { status: "approved", scope, by, at } };
  if (scope === "once" || approval.terms === undefined) return { outcome: "accepted", approval: settled };
  const byRole = who.role === "owner" ? "owner" : "member";
  return {
    outcome: "accepted",
    approval: settled,
    grant: { ...approval.terms, scope, callId: approval.callId, by, byRole, at },
  };
}

/** The approval as it is at `now`: an open one that nobody answered in time is expired, which means denied. */
export function expire(approval: Approval, now: number): Approval {
  if (approval.state.status !== "open" || now < Date.parse(approval.expiresAt)) return approval;
  return { ...approval, state: { status: "expired", at: instantOf(now) } };
}

/** Whether this very call may run now. Ask again right before it does. */
export function isApproved({ callId, digest, state }: Approval, call: Call): boolean {
  return state.status === "approved" && callId === call.callId && digest === digestOf(call);
}

function refusalOf(
  approval: Approval,
  { digest, scope, choice }: ApprovalAnswer,
  who: Answerer,
  now: number,
): RefusedAnswer | undefined {
  if (!mayAnswer(approval, who)) return "wrong-person";
  if (approval.state.status !== "open") return approval.state.status === "expired" ? "expired" : "already-settled";
  if (now >= Date.parse(approval.expiresAt)) return "expired";
  if (digest !== approval.digest) return "arguments-changed";
  return choice === "approve" && !approval.scopes.includes(scope ?? "once") ? "scope-not-offered" : undefined;
}

/** A bot, an address that nobody checked and the agent itself approve nothing, whatever their role. */
function mayAnswer({ approverRole, approvers }: Approval, { sender, role }: Answerer): boolean {
  if (sender.role !== "person" || sender.assurance === "claimed") return false;
  if (role === "owner") return true;
  return isAtLeast(role, approverRole) && (approvers.length === 0 || approvers.includes(sender.userId));
}
