import { GatewayError, type Permission, type Target } from "@talaria/protocol";
import { defaultRules } from "./default-rules.ts";
import type { TargetPattern } from "./pattern.ts";
import type { Place } from "./request.ts";
import type { Approver, Decision, Rule } from "./rule.ts";
import { readPattern, readTrusted } from "./target-pattern.ts";

/** One rule as the operator writes it: exactly one of `allow`, `ask` and `deny`, with the reason that people are shown. */
export interface RuleSettings {
  readonly allow?: string | undefined;
  readonly ask?: string | undefined;
  readonly deny?: string | undefined;
  readonly tool?: string | undefined;
  readonly permission?: Permission | undefined;
  readonly target?: string | undefined;
  readonly in?: Place | undefined;
  readonly as?: "owner" | "member" | "guest" | undefined;
  readonly outward?: boolean | undefined;
  readonly approver?: Approver | undefined;
}

export interface PolicySettings {
  readonly rules: readonly RuleSettings[];
  /** Addresses and recipients that may be given something even after untrusted content has entered. */
  readonly trusted: readonly string[];
}

export interface PolicyTable {
  readonly rules: readonly Rule[];
  readonly defaults: readonly Rule[];
  readonly trusted: readonly TargetPattern[];
}

export interface PolicyFault {
  /** From the settings on: `["rules", 3, "target"]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Whether the operator lets this target be given something after untrusted content has entered, too. */
export function isTrusted(target: Target, { trusted }: Pick<PolicyTable, "trusted">): boolean {
  return trusted.some((pattern) => pattern.matches(target, true));
}

/** The table of checked settings. Throws `invalid_request` for faulty ones: a rule that is left out would change what others mean. */
export function policyTable(settings: PolicySettings): PolicyTable {
  const { table, faults } = readPolicy(settings);
  const [fault] = faults;
  if (fault === undefined) return table;
  throw new GatewayError(`policy.${fault.path.join(".")} ${fault.message}`, { code: "invalid_request" });
}

/** Everything that is wrong with settings, for whoever checks them. */
export function policyFaults(settings: PolicySettings): readonly PolicyFault[] {
  return readPolicy(settings).faults;
}

function readPolicy({ rules, trusted }: PolicySettings): {
  readonly table: PolicyTable;
  readonly faults: readonly PolicyFault[];
} {
  const faults: PolicyFault[] = [];
  const read = rules.flatMap((settings, index) => {
    const complain = (key: string | undefined, message: string) =>
      void faults.push({ path: ["rules", index, ...(key === undefined ? [] : [key])], message });
    const rule = readRule(settings, `policy.rules.${index}`, complain);
    return rule === undefined ? [] : [rule];
  });
  const patterns = trusted.flatMap((text, index) => {
    const reading = readTrusted(text);
    if ("pattern" in reading) return [reading.pattern];
    faults.push({ path: ["trusted", index], message: reading.fault });
    return [];
  });
  return { table: { rules: read, defaults: defaultRules, trusted: patterns }, faults };
}

type Complain = (key: string | undefined, message: string) => void;

function readRule(settings: RuleSettings, id: string, complain: Complain): Rule | undefined {
  const named = (["allow", "ask", "deny"] as const).flatMap((decision) => {
    const text = settings[decision];
    return text === undefined ? [] : [{ decision, text }];
  });
  const [first] = named;
  if (first === undefined || named.length > 1) {
    complain(undefined, "needs exactly one of `allow`, `ask` and `deny`, with the reason as its text");
    return undefined;
  }
  const { decision, text } = first;
  const { tool, permission, target, in: place, as, outward, approver } = settings;
  checkShape(settings, decision, complain);
  const pattern =
    target === undefined || permission === undefined ? undefined : readTarget(permission, target, decision, complain);
  return {
    id,
    text,
    decision,
    approver: approver ?? "owner",
    ...(tool === undefined ? {} : { tool }),
    ...(permission === undefined ? {} : { permission }),
    ...(pattern === undefined ? {} : { target: pattern }),
    ...(place === undefined ? {} : { places: [place] }),
    ...(as === undefined ? {} : { role: as }),
    ...(outward === undefined ? {} : { isOutward: outward }),
  };
}

function checkShape(settings: RuleSettings, decision: Decision, complain: Complain): void {
  const { tool, permission, target, approver } = settings;
  if (tool !== undefined && !/^[A-Za-z0-9_*-]{1,64}$/.test(tool))
    complain("tool", "is no name of a tool: letters, digits, `_`, `-`, and `*` for any of them");
  if (target !== undefined && permission === undefined)
    complain("target", "needs `permission`, which says what it is: `net`, `exec`, `send`, `fs.read` or `fs.write`");
  if (approver !== undefined && decision !== "ask") complain("approver", "goes with `ask` alone");
  if (decision === "allow" && permission === undefined && (tool === undefined || /^\**$/.test(tool)))
    complain("allow", "needs `tool` or `permission`: a rule can't allow everything");
}

function readTarget(
  permission: Permission,
  target: string,
  decision: Decision,
  complain: Complain,
): TargetPattern | undefined {
  const reading = readPattern(permission, target, decision === "allow");
  if ("pattern" in reading) return reading.pattern;
  complain("target", reading.fault);
  return undefined;
}
