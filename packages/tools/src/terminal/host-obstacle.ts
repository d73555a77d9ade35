import type { Tool } from "@talaria/agent";
import { insideWords, listed } from "./command-network.ts";

/** Whether a host that a command names is known to lead inside, and not opened by the operator. Asks nobody outside. */
export type IsClosedHost = (host: string) => Promise<boolean>;

/** For tools that run commands: nobody is asked about a host that would be refused afterwards. The same tool gives the same one. */
export function withHostObstacle(isClosed: IsClosedHost | undefined): (tool: Tool) => Tool {
  const kept = new WeakMap<Tool, Tool>();
  return (tool) => {
    if (isClosed === undefined || !tool.permissions.includes("exec") || tool.targets === undefined) return tool;
    const known = kept.get(tool) ?? { ...tool, obstacle: (input: unknown) => obstacleOf(tool, input, isClosed) };
    kept.set(tool, known);
    return known;
  };
}

async function obstacleOf(tool: Tool, input: unknown, isClosed: IsClosedHost): Promise<string | undefined> {
  const hosts = (tool.targets?.(input) ?? []).flatMap((target) =>
    target.kind === "url" && target.host !== undefined ? [target.host] : [],
  );
  const answers = await Promise.all(hosts.map(isClosed));
  const closed = hosts.filter((_, index) => answers[index]);
  return closed.length === 0 ? undefined : `${listed(closed)} refused: ${insideWords}`;
}
