import type { McpServerConfig } from "./mcp-config.ts";
import { type McpTool, mcpTool } from "./mcp-tool.ts";
import { toolName } from "./tool-name.ts";

/**
 * A tool as the configuration alone tells of it, whether its server is there or not: what it is called and what it touches. It can't
 * be called. `name` is what the server calls it, or what is left of it in a name of ours.
 */
export function describedTool(server: string, name: string, config: McpServerConfig): McpTool {
  const nameThere = namedIn(config).find((one) => toolName(server, one) === `mcp_${server}_${name}`) ?? name;
  const listed = { name: nameThere, inputSchema: { type: "object" as const } };
  return mcpTool(server, listed, config, never);
}

/** The tools of a server that its configuration names. */
export function namedIn({ tools = [], reads = [], targets = {}, digests = {} }: McpServerConfig): readonly string[] {
  return [...new Set([...tools, ...reads, ...Object.keys(targets), ...Object.keys(digests)])];
}

const never = async (): Promise<never> => {
  throw new Error("this tool was made to be described, not to be called");
};
