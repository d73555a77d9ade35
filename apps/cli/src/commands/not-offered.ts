import type { PolicyRequest } from "@talaria/policy";
import { describedTools } from "@talaria/tools";

/** What the rules say of a tool of ours counts only where people have it. Nothing to say: they have it, or it isn't ours. */
export function notOffered({ tool, place, role }: PolicyRequest): readonly string[] {
  const hasIt = (allow: readonly string[]) => {
    const kind = place === "group" ? "group" : "direct";
    const conversation = { kind, platform: place === "webhook" ? "webhook" : "web" } as const;
    return describedTools({ conversation, role, setting: { allow } }).some(({ name }) => name === tool);
  };
  const isOurs = describedTools().some(({ name }) => name === tool);
  if (!isOurs || hasIt([])) return [];
  const unless = hasIt([tool]) ? `, unless the account allows ${tool} by name` : "";
  return ["", `But nobody like that has ${tool} there${unless}: what is not offered can't be called.`];
}
