import type { Tool } from "@talaria/agent";
import { isTrusted, type PolicyTable } from "@talaria/policy";

type Told = Pick<Tool, "describedBy" | "effect">;

/**
 * Whether the model reads tools whose descriptions strangers wrote. An operator who trusts their server spares it; and a server
 * whose tools the operator lists as reading learns by them what the rules let it learn.
 */
export function isToldByOthers(tool: Told, tools: readonly Pick<Tool, "describedBy">[], table: PolicyTable): boolean {
  const servers = new Set(tools.map(({ describedBy }) => describedBy));
  return [...servers].some((url) => {
    if (url === undefined || (url === tool.describedBy && tool.effect === "read")) return false;
    return !isTrusted({ kind: "url", url, sendsBody: true }, table);
  });
}
