import { GatewayError } from "@talaria/protocol";
import { tooLargeText } from "./limits.ts";
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

/** `problem`: why. It may hold words of the server, so that only what is ours is told. */
export function notConnected({ server }: McpTool, problem: string): GatewayError {
  const why = problem.startsWith(tooLargeText) ? `, since ${tooLargeText}` : "";
  return new GatewayError(`The MCP server "${server}" is not connected at the moment${why}. Nothing was done.`, {
    code: "unavailable",
    effect: "none",
  });
}
