import type { Tool } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { policyTable } from "@talaria/policy";
import type { Target } from "@talaria/protocol";
import { targetsOf } from "./authorise.ts";
import { commandReach } from "./command-reach.ts";
import { toServerConfig } from "./mcp-config.ts";
import { type Asking, createOfferedTools, type KnownOfTool } from "./offered-tools.ts";
import { isToldByOthers } from "./told-by-others.ts";

/** A tool of an MCP server, as far as the configuration tells. */
export interface ToolOfServer {
  readonly server: string;
  /** What the server calls it. */
  readonly nameThere: string;
  readonly tool: Tool;
  /** What every call of it touches. */
  readonly targets: readonly Target[];
  /** `tools` names others alone. */
  readonly isLeftOut: boolean;
}

type Settings = Pick<TalariaConfig, "mcp" | "policy" | "sandbox">;

/** Undefined for the name of another tool. Throws for a server that nobody has configured. Connects to nothing. */
export async function toolOfServer(name: string, { mcp, sandbox }: Settings): Promise<ToolOfServer | undefined> {
  const [, server = "", rest = ""] = /^mcp_([^_]+)_(.+)$/s.exec(name) ?? [];
  if (server === "") return undefined;
  const entry = Object.hasOwn(mcp.servers, server) ? mcp.servers[server] : undefined;
  if (entry === undefined) throw new Error(`mcp.servers has no server called ${server}`);
  const { describedTool } = await import("@talaria/mcp");
  const config = toServerConfig(entry);
  const tool = describedTool(server, rest, config);
  const commands = commandReach(sandbox);
  return {
    server,
    nameThere: tool.nameThere,
    tool,
    targets: targetsOf(tool, {}, commands === undefined ? {} : { commands }),
    isLeftOut: config.tools?.includes(tool.nameThere) === false,
  };
}

/** Whether a tool of a server or of the operator's own is offered at all. */
export function isOfferedTo(tool: KnownOfTool, asking: Asking, config: Settings): boolean {
  return createOfferedTools(config).has(tool, asking);
}

/**
 * The MCP servers whose descriptions are untrusted content before anybody has said a word, for a call of this tool. Of servers whose
 * tools nobody names, only direct conversations have some for sure.
 */
export async function tellersOf(
  tool: Pick<Tool, "describedBy" | "effect">,
  asking: Asking,
  { mcp, policy, sandbox }: Settings,
): Promise<readonly string[]> {
  const entries = Object.entries(mcp.servers);
  if (entries.length === 0) return [];
  const { describedTool, namedIn } = await import("@talaria/mcp");
  const [table, offered] = [policyTable(policy), createOfferedTools({ policy, sandbox })];
  return entries.flatMap(([server, entry]) => {
    const config = toServerConfig(entry);
    const [first, ...others] = ["any", ...namedIn(config)].map((name) => describedTool(server, name, config));
    const isThere =
      first?.describedBy === tool.describedBy || [first, ...others].some((one) => one && offered.has(one, asking));
    return first !== undefined && isThere && isToldByOthers(tool, [first], table) ? [server] : [];
  });
}
