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
  phrases: CoverPhrases,
): GrantOffer | undefined {
  const terms = termsFor(request, decision, shown);
  if (terms === undefined) return undefined;
  const covered: Covered = {
    ...{ tool: request.tool, things: decision.asks.flatMap(thingOf) },
    ...(request.aim !== undefined && { aim: terms.aim ?? null }),
  };
  return {
    scopes: request.isTainted ? ["session"] : ["session", "always"],
    covers: coverWords(covered, phrases),
    terms: { ...terms, covered },
  };
}

/** The words for what an agreement is for, or would be, in another language. What an earlier release has offered is in one alone. */
export function coveredText({ covers, terms }: Pick<GrantOffer, "covers" | "terms">, phrases: CoverPhrases): string {
  const { data } = coveredSchema.safeParse(terms.covered);
  return data === undefined ? covers : coverWords(data, phrases);
}

type CoverPhrases = Pick<CallPhrases, "anyPort" | "coveredArguments">;

/** What an agreement is for, as people read it: kept beside its terms. */
interface Covered {
  readonly tool: string;
  readonly things: readonly { readonly name: string; readonly isHost: boolean }[];
  /** Absent: its arguments don't matter. Null: nobody has named what it is for. */
  readonly aim?: string | null | undefined;
}

const coveredSchema: z.ZodType<Covered> = z.object({
  tool: z.string(),
  things: z.array(z.object({ name: z.string(), isHost: z.boolean() })),
  aim: z.string().nullish(),
});

function coverWords({ tool, things, aim }: Covered, phrases: CoverPhrases): string {
  const names = things.map(({ name, isHost }) => (isHost ? hostText(name, phrases, `\`${name}\``) : `\`${name}\``));
  const about = aim === undefined ? "" : phrases.coveredArguments(aim === null ? undefined : `\`${aim}\``);
  // A file that is read and written is one file.
  return `${tool}: ${[...new Set(names)].join(", ")}${about}`;
}

/** A host of a command is called as in the question. */
function thingOf(ask: Verdict): Covered["things"] {
  const { target } = ask.act;
  if (target?.kind === "url" && target.host !== undefined) return [{ name: target.host, isHost: true }];
  const name = patternFor(ask)?.target;
  return name === undefined ? [] : [{ name, isHost: false }];
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
