import type { Verdict } from "@talaria/agent";
import { taintRule } from "@talaria/policy";

/**
 * Why a call over MCP is not run that somebody would have to agree to, and what the caller can say. `hasRead`: whether untrusted content
 * has come to the caller; without it, the taint is what strangers say of their tools.
 */
export function needsPerson(
  { rule, approver }: Pick<Extract<Verdict, { readonly decision: "ask" }>, "rule" | "approver">,
  hasRead: boolean,
): string {
  if (rule !== taintRule.id)
    return (
      `Error: not run. By the rule "${rule}" this has to be approved by somebody with the role ${approver}, and nobody can be asked ` +
      "over MCP. Do not try again; say that the operator can allow it with a rule in policy.rules."
    );
  const [why, what] = hasRead
    ? (["nothing goes out any more: what strangers wrote has been read", "the target"] as const)
    : ([
        "nothing goes out: there are tools of an MCP server (mcp_...) that strangers may have described",
        "that server",
      ] as const);
  return (
    `Error: not run. By the rule "${rule}" ${why}, and nobody can be asked over MCP. ` +
    `Do not try again; say that the operator can name ${what} in policy.trusted. A rule in policy.rules doesn't lift this.`
  );
}
