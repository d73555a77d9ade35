import { isAtLeast, type Permission, type Role } from "@talaria/protocol";
import { wildcardForm } from "./machine-paths.ts";
import type { TargetPattern } from "./pattern.ts";
import type { Act, Place } from "./request.ts";

export type Decision = "allow" | "ask" | "deny";
/** Who may approve what a rule asks about: one with this role or a stronger one. */
export type Approver = "owner" | "member";

/** What is told of a rule: in the journal, in a trace, to an approver. */
export interface RuleName {
  /** `policy.rules.3` for the operator's; `default.net.1`, `floor.erases` and `taint` for ours. */
  readonly id: string;
  readonly text: string;
}

/** One rule. Whatever it doesn't name, it means all of, but see `isFor`. */
export interface Rule extends RuleName {
  readonly decision: Decision;
  /** Only with `ask`. */
  readonly approver: Approver;
  /** A name; `*` stands for any characters. */
  readonly tool?: string;
  readonly permission?: Permission | "none";
  readonly target?: TargetPattern;
  readonly places?: readonly Place[];
  readonly role?: Role;
  readonly isOutward?: boolean;
  readonly isInside?: boolean;
  readonly effect?: "read" | "write";
  readonly isNamed?: boolean;
  readonly host?: "open" | "asked";
}

const strictness: readonly Decision[] = ["allow", "ask", "deny"];
const stricterApprovers: readonly Approver[] = ["member", "owner"];

/** Whether the rule means what the call does. */
export function isAbout(rule: Rule, act: Act): boolean {
  if (rule.tool !== undefined && !isToolIn(rule.tool, act.tool)) return false;
  if (rule.permission !== undefined && rule.permission !== (act.permission ?? "none")) return false;
  if (rule.isOutward !== undefined && rule.isOutward !== act.isOutward) return false;
  if (rule.isInside !== undefined && rule.isInside !== act.isInside) return false;
  if (rule.effect !== undefined && rule.effect !== act.effect) return false;
  if (rule.isNamed !== undefined && rule.isNamed !== (act.isNamed ?? false)) return false;
  if (rule.host !== undefined && rule.host !== act.host) return false;
  if (rule.target === undefined) return true;
  return act.target !== undefined && rule.target.matches(act.target, rule.decision === "allow");
}

/**
 * Whether the rule says enough to count. An `allow` by permission alone covers neither what goes out nor what leaves the workspace: it has
 * to name a tool, a target, or that it is about what goes out. A command's host has to be named, or its tool. No `allow` covers a
 * command outside the sandbox.
 */
export function isEnough({ decision, tool, target, isOutward, host }: Rule, act: Act): boolean {
  if (decision !== "allow") return true;
  if (act.permission === "exec" && !act.isInside) return false;
  if (tool !== undefined || target !== undefined) return true;
  if (act.host !== undefined) return host === act.host;
  if (act.isOutward && act.isNamed !== true) return isOutward === true;
  return act.isInside;
}

/**
 * Whether the rule means somebody with this role in this place. `allow` goes for its role and stronger ones, `deny` for its role
 * and weaker ones, `ask` for its role alone. A rule that names nobody: `deny` goes for everybody everywhere, `allow` for owners and
 * members in direct conversations. `ask` without a role or place goes for all, but widens only what `allow` would: see `isAtHome`.
 */
export function isFor({ decision, role, places }: Rule, asked: Role, place: Place): boolean {
  if (decision === "ask") return (role ?? asked) === asked && (places?.includes(place) ?? true);
  if (decision === "deny") return (role === undefined || isAtLeast(role, asked)) && (places?.includes(place) ?? true);
  return isAtLeast(asked, role ?? "member") && (places ?? ["direct"]).includes(place);
}

/** Whether an `ask` may make more possible here than there was without it. Elsewhere it only makes less possible. */
export function isAtHome({ role, places }: Rule, asked: Role, place: Place): boolean {
  return isAtLeast(asked, role ?? "member") && (places ?? ["direct"]).includes(place);
}

/** The rule that counts of those that match: the most specific, among equals the strictest. Whatever their order. */
export function winnerOf(rules: readonly Rule[]): Rule | undefined {
  return rules.toSorted(compareRules)[0];
}

/** Negative if `one` goes before `other`. */
export function compareRules(one: Rule, other: Rule): number {
  const [own, others] = [specificityOf(one), specificityOf(other)];
  const at = own.findIndex((weight, index) => weight !== others[index]);
  if (at >= 0) return (others[at] ?? 0) - (own[at] ?? 0);
  return compareDecisions(other, one) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Positive if `one` is the stricter decision: denied before asked, asked of an owner before asked of a member. */
export function compareDecisions(
  one: { readonly decision: Decision; readonly approver?: Approver },
  other: { readonly decision: Decision; readonly approver?: Approver },
): number {
  const byDecision = strictness.indexOf(one.decision) - strictness.indexOf(other.decision);
  if (byDecision !== 0 || one.decision !== "ask") return byDecision;
  return stricterApprovers.indexOf(one.approver ?? "owner") - stricterApprovers.indexOf(other.approver ?? "owner");
}

/** Compared from the left: target, tool, permission, role, place, the rest. */
function specificityOf(rule: Rule): readonly number[] {
  const one = (value: unknown) => (value === undefined ? 0 : 1);
  return [
    rule.target === undefined ? 0 : 1 + rule.target.weight,
    rule.tool === undefined ? 0 : toolWeight(rule.tool),
    one(rule.permission),
    one(rule.role),
    one(rule.places),
    one(rule.isOutward) + one(rule.isInside) + one(rule.effect) + one(rule.isNamed) + one(rule.host),
  ];
}

function toolWeight(pattern: string): number {
  return pattern.includes("*") ? 1 + pattern.replaceAll("*", "").length : 1_000;
}

function isToolIn(pattern: string, tool: string): boolean {
  return pattern.includes("*") ? (wildcardForm(pattern)?.test(tool) ?? false) : pattern === tool;
}
