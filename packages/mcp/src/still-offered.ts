import { GatewayError } from "@talaria/protocol";
import type { McpTool } from "./mcp-tool.ts";

/** Throws unless the server still has this tool, and still as harmless as the prompt was told that it is. */
export function checkStillOffered({ server, name, effect }: McpTool, offered: readonly McpTool[]): void {
  const current = offered.find((tool) => tool.name === name);
  if (current === undefined) {
    throw new GatewayError(`The MCP server "${server}" no longer offers this tool. Nothing was done.`, {
      code: "not_found",
    });
  }
  if (effect === "write" || current.effect === "read") return;
  throw new GatewayError(
    `The MCP server "${server}" now says that this tool changes things. It can be used from the next session on. ` +
      "Nothing was done.",
    { code: "forbidden" },
  );
}

export function notConnected({ server }: McpTool): GatewayError {
  return new GatewayError(`The MCP server "${server}" is not connected at the moment. Nothing was done.`, {
    code: "unavailable",
    effect: "none",
  });
}
