import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const table = z.object({ name: z.string().min(2), people: z.number().int().min(1).max(8) });
const confirmation = z.object({ confirm: z.boolean() });

/** A server made with the SDK, for both eras. `names` are tools that do nothing, and may grow between lists. */
export function modernPeer(names: readonly string[] = []): McpServer {
  const server = new McpServer({ name: "peer", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  const input = z.object({ text: z.string().describe("What to say.") });
  server.registerTool("echo", { description: "Says it again.", inputSchema: input }, ({ text }) =>
    said(`echo ${text}`),
  );
  server.registerTool("count", { inputSchema: z.object({ to: z.number().int() }) }, async ({ to }, context) => {
    const progressToken = context.mcpReq._meta?.progressToken ?? 0;
    for (let step = 1; step <= to; step += 1) {
      const params = { progressToken, progress: step, total: to, message: `step ${step}` };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    return said(`counted to ${to}`);
  });
  server.registerTool("deploy", {}, (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "confirm", confirmation);
    if (answer?.confirm === true) return said("deployed");
    const confirm = inputRequired.elicit({ message: "Deploy?\u202e", requestedSchema: confirmation });
    return inputRequired({ inputRequests: { confirm } });
  });
  server.registerTool("book", {}, (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "table", table);
    if (given !== undefined) return said(`booked for ${given.people} in the name of ${given.name}`);
    if (context.mcpReq.inputResponses?.table !== undefined) return said("nothing was booked");
    const asked = inputRequired.elicit({ message: "For whom is the table?", requestedSchema: table });
    return inputRequired({ inputRequests: { table: asked } });
  });
  const routed = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
  server.registerTool("route", { inputSchema: routed }, ({ region }) => said(`routed to ${region}`));
  for (const name of names) server.registerTool(name, {}, () => said(name));
  return server;
}

function said(text: string) {
  return { content: [{ type: "text" as const, text }] };
}
