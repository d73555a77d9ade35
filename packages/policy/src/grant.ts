import { type GrantOffer, isAtLeast, type Permission, permissions, type Role, roleSchema } from "@talaria/protocol";
import { z } from "zod";
import { aimText } from "./aim.ts";
import type { CallPhrases } from "./call-phrases.ts";
import type { PolicyDecision, Verdict } from "./decide.ts";
import { hostText } from "./described-call.ts";
import { isFixedCommand } from "./fixed-commands.ts";
import { goesOut, type Place, type PolicyRequest, places } from "./request.ts";
import type { Approver } from "./rule.ts";
import type { Shown } from "./shown-text.ts";
import { readPattern } from "./target-pattern.ts";

/**
 * What an approver may agree to besides the call that is asked about. Undefined where only this one call can be agreed to:
 * for a text that is cut or hides something, for what may be something else tomorrow, and after untrusted content for a call whose
 * aim nobody has named. After untrusted content, `always` is not offered.
 */
export function grantOfferFor(
  request: PolicyRequest,
  decision: PolicyDecision,
  shown: Shown,
  phrases: Pick<CallPhrases, "anyPort">,
): GrantOffer | undefined {
  const terms = termsFor(request, decision, shown);
  if (terms === undefined) return undefined;
  // A file that is read and written is one file.
  const covers = [...new Set(decision.asks.map((ask) => coverWords(ask, phrases)))].join(", ");
  return {
    scopes: request.isTainted ? ["session"] : ["session", "always"],
    covers: `${request.tool}: ${covers}${aimWords(terms, request)}`,
    terms: { ...terms },
  };
}

/** A host of a command is called as in the question. */
function coverWords(ask: Verdict, phrases: Pick<CallPhrases, "anyPort">): string {
  const { target } = ask.act;
  if (target?.kind === "url" && target.host !== undefined) return hostText(target.host, phrases, `\`${target.host}\``);
  return `\`${patternFor(ask)?.target}\``;
}

function aimWords({ aim: named }: GrantTerms, { aim }: PolicyRequest): string {
  if (aim === undefined) return "";
  if (named === undefined) return " with any arguments, until untrusted content has entered";
  return `, only with \`${named}\`, whatever else it is given`;
}

/** One thing that a grant is for, as its approver saw it. */
interface GrantPattern {
  readonly permission: Permission;
  readonly target: string;
  readonly isOutward: boolean;
}

/** What a later call needs to be covered. Plain JSON. */
interface GrantTerms {
  readonly tool: string;
  readonly patterns: readonly GrantPattern[];
  readonly place: Place;
  /** A turn with fewer rights is not covered. */
  readonly role: Role;
  /** Given while untrusted content was in the session. Without it, the grant covers nothing that goes out after taint. */
  readonly isTainted: boolean;
  /** Nothing but what strangers say of their tools was in it. Then the grant covers nothing that goes out after what they write. */
  readonly isOnlyTold?: boolean | undefined;
  /** The one aim that is covered, as `aimText` has it. */
  readonly aim?: string | undefined;
}

/** Somebody's agreement to further calls. */
export interface Grant extends GrantTerms {
  readonly byRole: Approver;
  /** Absent: unknown, so it covers no more than either. */
  readonly scope?: "session" | "always" | undefined;
}

/** Reads a grant that another process, perhaps of another version, has written: the terms of an offer, and who agreed. */
export const grantSchema: z.ZodType<Grant> = z.object({
  tool: z.string(),
  patterns: z.array(z.object({ permission: z.enum(permissions), target: z.string(), isOutward: z.boolean() })),
  place: z.enum(places),
  role: roleSchema,
  isTainted: z.boolean(),
  isOnlyTold: z.boolean().optional(),
  aim: z.string().optional(),
  byRole: z.enum(["owner", "member"]),
  scope: z.enum(["session", "always"]).optional(),
});

/** Whether an earlier agreement answers everything that is asked about a call. It never lifts a `deny`. */
export function matchesGrant(grant: Grant, request: PolicyRequest, { decision, asks }: PolicyDecision): boolean {
  if (decision !== "ask" || asks.length === 0) return false;
  if (grant.tool !== request.tool || grant.place !== request.place) return false;
  if (!isAtLeast(request.role, grant.role) || !hasAimOf(grant, request)) return false;
  return asks.every((ask) => coversAsk(grant, request, ask));
}

function termsFor(request: PolicyRequest, { asks }: PolicyDecision, shown: Shown): GrantTerms | undefined {
  if (shown.leftOut > 0 || shown.hasHidden || asks.length === 0) return undefined;
  const patterns = asks.flatMap((ask) => patternFor(ask) ?? []);
  if (patterns.length < asks.length) return undefined;
  const { tool, place, role, isTainted, isOnlyTold, aim } = request;
  const named = aim === undefined || aim === "unnamed" ? undefined : aimText(aim);
  // Whoever has written what was read would say what is done, under an agreement to whatever it is.
  if (named === undefined && (aim === "unnamed" ? isTainted : aim !== undefined)) return undefined;
  return {
    ...{ tool, patterns, place, role, isTainted },
    ...(isTainted && isOnlyTold === true ? { isOnlyTold } : {}),
    ...(named === undefined ? {} : { aim: named }),
  };
}

function hasAimOf(grant: Grant, { aim, isTainted }: PolicyRequest): boolean {
  if (aim === undefined) return grant.aim === undefined;
  // An earlier release offered it after untrusted content, too.
  if (aim === "unnamed") return grant.aim === undefined && !isTainted;
  return grant.aim !== undefined && grant.aim === aimText(aim);
}

function coversAsk(grant: Grant, request: PolicyRequest, { act, approver = "owner" }: Verdict): boolean {
  const matters = goesOut(act) || request.aim !== undefined;
  if (request.isTainted && matters && !wasGivenAfter(grant, request) && !isForItsOwn(grant, request, act)) return false;
  if (!isAtLeast(grant.byRole, approver)) return false;
  const { target } = act;
  if (target === undefined) return false;
  return grant.patterns.some((pattern) => {
    if (pattern.permission !== act.permission || pattern.isOutward !== act.isOutward) return false;
    // An earlier release offered more.
    if (pattern.permission === "exec" && !isFixedCommand(pattern.target)) return false;
    const reading = readPattern(pattern.permission, pattern.target, true);
    return "pattern" in reading && reading.pattern.matches(target, true);
  });
}

/** Whether what has tainted the call had done so when somebody agreed. */
function wasGivenAfter(grant: Grant, request: PolicyRequest): boolean {
  return grant.isTainted && (grant.isOnlyTold !== true || request.isOnlyTold === true);
}

/**
 * Whoever opens a host to commands, here or for ever, knows that they bring what it says: that alone doesn't end it. Of tools that
 * strangers describe they know where there were some already.
 */
function isForItsOwn(
  { scope, isTainted }: Grant,
  { isOnlyRan, isTold }: PolicyRequest,
  { host }: Verdict["act"],
): boolean {
  if (scope === undefined || host === undefined || isOnlyRan !== true) return false;
  return isTainted || isTold !== true;
}

/** The whole site for an address; otherwise the very same target. Undefined if no pattern says that without saying more. */
function patternFor({ act }: Verdict): GrantPattern | undefined {
  const { permission, target, isOutward } = act;
  if (permission === undefined || target === undefined) return undefined;
  const text = target.kind === "url" ? siteOf(target) : textOf(target);
  // What could end the words in which people read it could say more than it covers.
  if (text === undefined || /[`\r\n]/.test(text) || (target.kind !== "url" && text.includes("*"))) return undefined;
  const reading = readPattern(permission, text, true);
  return "pattern" in reading && reading.pattern.matches(target, true)
    ? { permission, target: text, isOutward }
    : undefined;
}

function siteOf({ url, host }: Extract<NonNullable<Verdict["act"]["target"]>, { readonly kind: "url" }>) {
  if (host !== undefined) return new URL(url).origin;
  return URL.canParse(url) ? `${new URL(url).origin}/*` : undefined;
}

function textOf(target: Exclude<Verdict["act"]["target"], undefined>): string | undefined {
  if (target.kind === "path") return target.path;
  if (target.kind === "recipient") return target.recipient;
  if (target.kind === "secret") return target.name;
  if (target.kind !== "command" || typeof target.command !== "string" || !target.isSandboxed) return undefined;
  const text = target.command.trim();
  return isFixedCommand(text) ? text : undefined;
}
