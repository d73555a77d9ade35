import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { httpPeer } from "../../packages/mcp/src/testing/http-peer.ts";
import { type OfficeTool, officeNames, officeShapes, type SeenCall } from "./office-shapes.ts";

/** One MCP server of an office, in a process of its own. Its parent says what it shows and asks what has reached it. */
const name = officeNames.find((one) => one === process.argv[2]);
if (name === undefined) throw new Error("which server?");
const { tools, shows } = officeShapes[name];
const shown = new Map<string, string>();
const seen: SeenCall[] = [];

const handler = createMcpHandler(() => {
  const server = new McpServer({ name, version: "1.0.0" });
  for (const [tool, { description, input: inputSchema, finds }] of Object.entries<OfficeTool>(tools))
    server.registerTool(tool, { description, inputSchema }, (input) => {
      if (finds === undefined) seen.push({ tool, input });
      const id = finds === undefined ? "" : String(input[finds]);
      const answer = finds === undefined ? { done: true } : shows(id, shown.get(id) ?? "Nothing special.");
      return { content: [{ type: "text" as const, text: JSON.stringify(answer) }] };
    });
  return server;
});
const peer = await httpPeer((request) => handler.fetch(request));
process.on("message", (told: { readonly id: string; readonly text: string } | "what was called?") => {
  if (told === "what was called?") process.send?.(seen.splice(0));
  else shown.set(told.id, told.text);
});
process.on("disconnect", () => process.exit());
process.send?.(`${peer.url}/mcp`);
