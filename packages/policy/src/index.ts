export type { Aim } from "./aim.ts";
export type { CallPhrases, ShownMarks } from "./call-phrases.ts";
export { callText } from "./call-text.ts";
export {
  decide,
  type ExplainedVerdict,
  explain,
  isOpened,
  type PolicyDecision,
  taintRule,
  type Verdict,
} from "./decide.ts";
export { coveredText, type Grant, grantOfferFor, grantSchema, matchesGrant } from "./grant.ts";
export { microsPerUnit, moneyText } from "./money.ts";
export { type Place, type PolicyRequest, placeOf, places, rightsOf } from "./request.ts";
export type { Approver, Decision, RuleName } from "./rule.ts";
export { mostShownChars, type ShownCall, shownCall } from "./shown.ts";
export { codeLine, fenced, shownText } from "./shown-text.ts";
export {
  type Charge,
  chargesOf,
  limitId,
  limitOf,
  type SpenderIdentity,
  type SpendingLimit,
  type SpendingLimits,
  type SpendingScope,
  type SpendingUnit,
} from "./spending.ts";
export {
  isTrusted,
  type PolicyFault,
  type PolicySettings,
  type PolicyTable,
  policyFaults,
  policyTable,
  type RuleSettings,
} from "./table.ts";
export {
  bringsContent,
  type Entered,
  type Taint,
  type TaintSettings,
  taintOf,
  untainted,
} from "./taint.ts";
export { targetKindOf } from "./target-pattern.ts";
