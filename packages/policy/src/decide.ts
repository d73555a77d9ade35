import { isAtLeast, type Role, roles } from "@talaria/protocol";
import { type FloorBreach, floorOf } from "./floor.ts";
import { type Act, actsOf, goesOut, type Place, type PolicyRequest } from "./request.ts";
import {
  type Approver,
  compareDecisions,
  compareRules,
  type Decision,
  isAbout,
  isAtHome,
  isEnough,
  isFor,
  type Rule,
  type RuleName,
  winnerOf,
} from "./rule.ts";
import { isTrusted, type PolicyTable } from "./table.ts";
import { addressOf } from "./url-pattern.ts";

/** What is decided about one act, and by which rule. */
export interface Verdict {
  readonly decision: Decision;
  readonly rule: RuleName;
  /** Only with `ask`. */
  readonly approver?: Approver;
  readonly act: Act;
}

/** What is decided about a call. */
export interface PolicyDecision extends Verdict {
  /** Everything about the call that somebody has to agree to: empty unless the decision is `ask`. */
  readonly asks: readonly Verdict[];
}

/** A verdict with the rules that matched as well and did not count. */
export interface ExplainedVerdict extends Verdict {
  readonly lost: readonly { readonly rule: Rule; readonly why: string }[];
}

/**
 * Whether a call may run. Pure. The strictest verdict on its acts counts. A weaker role never gets more than a stronger one:
 * what is denied to members is denied to guests.
 */
export function decide(request: PolicyRequest, table: PolicyTable): PolicyDecision {
  const verdicts = actsOf(request).map((act) => judge(act, request, table));
  const [strictest] = verdicts.toSorted((one, other) => compareDecisions(other, one)) as [Verdict];
  const asks = strictest.decision === "ask" ? verdicts.filter(({ decision }) => decision === "ask") : [];
  return { ...strictest, asks };
}

/** As `decide`, one verdict for each act, with what lost, except the rule for everything else. For people who want to know why. */
export function explain(request: PolicyRequest, table: PolicyTable): readonly ExplainedVerdict[] {
  return actsOf(request).map((act) => {
    const verdict = judge(act, request, table);
    const matching = [...table.rules, ...table.defaults.filter(({ permission }) => permission !== undefined)].filter(
      (rule) => isAbout(rule, act),
    );
    const lost = matching.filter((rule) => rule.id !== verdict.rule.id && isFor(rule, request.role, request.place));
    return { ...verdict, lost: lost.map((rule) => ({ rule, why: whyLost(rule, verdict, act, request, table) })) };
  });
}

/**
 * Whether rules of the operator's own let such a call run here, be it that somebody agrees: what is nobody's by default is theirs then
 * whom the rules name.
 */
export function isOpened(request: Omit<PolicyRequest, "isTainted">, table: PolicyTable): boolean {
  const untainted = { ...request, isTainted: false };
  const verdicts = actsOf(untainted).map((act) => judge(act, untainted, table));
  const isOwn = ({ rule }: Verdict) => table.rules.some(({ id }) => id === rule.id);
  return verdicts.every(({ decision }) => decision !== "deny") && verdicts.some(isOwn);
}

/** What asks again where nothing else would. */
export const taintRule: RuleName = {
  id: "taint",
  text: "Untrusted content has entered the session, so what goes out needs somebody who agrees.",
};

function judge(act: Act, request: PolicyRequest, table: PolicyTable): Verdict {
  const breach = breachOf(act);
  if (breach !== undefined) return { decision: "deny", rule: breach, act };
  const verdict = verdictFor(act, request, table);
  if (verdict.decision !== "allow" || !request.isTainted || !needsConsent(act, table)) return verdict;
  return { decision: "ask", rule: taintRule, approver: approverFor(request.role, "member"), act };
}

/** Nobody agrees for somebody stronger. */
function approverFor(role: Role, approver: Approver): Approver {
  return role === "owner" ? "owner" : approver;
}

function breachOf({ target, permission }: Act): FloorBreach | undefined {
  if (target === undefined) return undefined;
  if (target.kind === "url" && addressOf(target.url) === undefined)
    return { id: "floor.address", text: "Nothing but http and https addresses may be asked for." };
  return floorOf([target], permission !== "fs.read");
}

function needsConsent(act: Act, table: PolicyTable): boolean {
  return goesOut(act) && !(act.target !== undefined && isTrusted(act.target, table));
}

/** The strictest of what counts for the role and for each stronger one. */
function verdictFor(act: Act, { role, place }: PolicyRequest, table: PolicyTable): Verdict {
  const counting = roles
    .filter((other) => isAtLeast(other, role))
    .map((other) => countingRule(act, other, place, table));
  const [{ decision, id, text, approver }] = counting.toSorted((one, other) => compareDecisions(other, one)) as [Rule];
  return {
    decision,
    rule: { id, text },
    act,
    ...(decision === "ask" ? { approver: approverFor(role, approver) } : {}),
  };
}

/** The operator's rules go before the defaults. An `ask` that names no role or place never widens what they say. */
function countingRule(act: Act, role: Role, place: Place, { rules, defaults }: PolicyTable): Rule {
  const isMeant = (rule: Rule) => isAbout(rule, act) && isEnough(rule, act) && isFor(rule, role, place);
  const own = winnerOf(rules.filter(isMeant));
  const preset = winnerOf(defaults.filter(isMeant)) as Rule;
  if (own === undefined) return preset;
  if (own.decision !== "ask" || isAtHome(own, role, place)) return own;
  return compareDecisions(preset, own) > 0 ? preset : own;
}

function whyLost(rule: Rule, verdict: Verdict, act: Act, { role, place }: PolicyRequest, table: PolicyTable): string {
  if (verdict.rule.id.startsWith("floor.")) return "nothing lifts the floor";
  if (!isEnough(rule, act)) return "it doesn't name what goes out or leaves the workspace";
  const counting = countingRule(act, role, place, table);
  if (rule.id === counting.id) {
    return verdict.rule.id === taintRule.id ? "untrusted content has entered" : "a stronger role may not do more";
  }
  if (table.defaults.includes(rule) && !table.defaults.includes(counting))
    return "your own rules go before the defaults";
  if (!table.defaults.includes(rule) && table.defaults.includes(counting))
    return "it names no role or place, so it can't widen this";
  return compareRules(rule, counting) > 0 && compareDecisions(counting, rule) > 0 && hasSameWeight(rule, counting)
    ? "it is as specific and less strict"
    : "it is less specific";
}

function hasSameWeight(one: Rule, other: Rule): boolean {
  const plain = (rule: Rule): Rule => ({ ...rule, id: "", decision: "allow", approver: "owner" });
  return compareRules(plain(one), plain(other)) === 0;
}
