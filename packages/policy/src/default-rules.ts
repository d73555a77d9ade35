import type { Permission } from "@talaria/protocol";
import { type Place, places } from "./request.ts";
import type { Rule } from "./rule.ts";

type Given = Omit<Rule, "id" | "approver" | "permission"> & Partial<Pick<Rule, "approver">>;
const everywhere: readonly Place[] = places;

/** The rules that count where the operator has none. Not naming a place or role, they mean direct conversations, owners and members. */
export const defaultRules: readonly Rule[] = [
  ...rules("clock", [
    { decision: "allow", role: "unverified", places: everywhere, text: "Everybody may know the time." },
  ]),
  ...rules("conversation.read", [
    { decision: "allow", role: "unverified", places: everywhere, text: "A conversation may be read by those in it." },
  ]),
  ...rules("fs.read", [
    { decision: "allow", role: "guest", places: everywhere, isInside: true, text: "The workspace may be read." },
    {
      decision: "ask",
      role: "owner",
      isInside: false,
      text: "Files outside the workspace are read only for an owner who agrees.",
    },
  ]),
  ...rules("fs.write", [
    {
      decision: "allow",
      isInside: true,
      text: "Owners and members may change the workspace of a direct conversation.",
    },
    {
      decision: "ask",
      role: "owner",
      isInside: false,
      text: "Files outside the workspace are changed only for an owner who agrees.",
    },
  ]),
  ...rules("exec", [
    {
      decision: "allow",
      role: "owner",
      isInside: true,
      isOutward: false,
      text: "An owner may run commands in the sandbox.",
    },
    {
      decision: "ask",
      role: "member",
      isInside: true,
      isOutward: false,
      text: "A member's commands need an owner's approval.",
    },
    {
      decision: "ask",
      isInside: true,
      isOutward: true,
      isNamed: false,
      text: "Commands with network need an owner who agrees.",
    },
    {
      decision: "ask",
      role: "owner",
      isInside: false,
      text: "Commands outside the sandbox run only for an owner who agrees.",
    },
    {
      decision: "allow",
      role: "owner",
      isInside: true,
      isOutward: true,
      isNamed: true,
      text: "An owner may run commands that name their hosts: each host is asked about.",
    },
    {
      decision: "ask",
      role: "member",
      isInside: true,
      isOutward: true,
      isNamed: true,
      text: "A member's commands need an owner's approval.",
    },
  ]),
  ...rules("net", [
    { decision: "allow", places: everywhere, isOutward: false, text: "Owners and members may read from the network." },
    {
      decision: "ask",
      role: "guest",
      places: everywhere,
      approver: "member",
      isOutward: false,
      text: "A member agrees to what a guest reads from the network.",
    },
    {
      decision: "ask",
      approver: "member",
      isOutward: true,
      text: "What is sent into the network needs somebody who agrees.",
    },
    { decision: "ask", isOutward: true, host: "asked", text: "An owner has to agree before a command reaches a host." },
    {
      decision: "allow",
      role: "unverified",
      places: everywhere,
      isOutward: true,
      host: "open",
      text: "`sandbox.network` opens this host to whoever may run commands.",
    },
  ]),
  ...rules("send", [
    {
      decision: "allow",
      role: "unverified",
      places: everywhere,
      isInside: true,
      text: "An answer may go where the question came from.",
    },
    {
      decision: "ask",
      approver: "member",
      isInside: false,
      text: "A message to another conversation needs somebody who agrees.",
    },
  ]),
  ...rules("memory", [
    { decision: "allow", role: "guest", places: everywhere, effect: "read", text: "Memory may be read." },
    {
      decision: "allow",
      places: ["direct", "group"],
      effect: "write",
      text: "Owners and members may teach the agent.",
    },
  ]),
  ...rules("schedule", [
    { decision: "allow", places: everywhere, effect: "read", text: "Owners and members may see what is planned." },
    { decision: "allow", effect: "write", text: "Owners and members may plan in direct conversations." },
  ]),
  ...rules("spend", [{ decision: "ask", text: "Spending money needs an owner who agrees." }]),
  ...rules("secret", [{ decision: "ask", text: "Using a secret needs an owner who agrees." }]),
  ...rules("none", [
    {
      decision: "allow",
      role: "unverified",
      places: everywhere,
      effect: "read",
      text: "A tool that touches nothing may run.",
    },
    {
      decision: "ask",
      effect: "write",
      text: "A tool that changes things without saying what needs an owner who agrees.",
    },
  ]),
  { id: "default.nothing-else", decision: "deny", approver: "owner", text: "What no rule allows is denied." },
];

/** An `ask` is written out for each of its roles: only rules of operators may leave them open. */
function rules(permission: Permission | "none", given: readonly Given[]): readonly Rule[] {
  return given.flatMap((rule, index): readonly Rule[] => {
    const whole: Rule = { approver: "owner", ...rule, id: `default.${permission}.${index + 1}`, permission };
    return [...writtenOut(whole), ...forRoutes(whole)];
  });
}

function writtenOut(rule: Rule): readonly Rule[] {
  if (rule.decision !== "ask") return [rule];
  const asking = rule.role === undefined ? (["owner", "member"] as const) : [rule.role];
  return asking.map((role) => ({ ...rule, id: `${rule.id}.${role}`, role, places: rule.places ?? ["direct"] }));
}

/** A route that acts for an owner may do what that owner may in a direct conversation. No other route has an owner's role. */
function forRoutes({ places: given, role = "owner", ...rule }: Rule): readonly Rule[] {
  if (given !== undefined || (rule.decision === "ask" && role !== "owner")) return [];
  return [{ ...rule, id: `${rule.id}.route`, role: "owner", places: ["webhook"] }];
}
