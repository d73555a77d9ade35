import type { CallToolResult, Server } from "@modelcontextprotocol/server";
import { toolSpecs } from "@talaria/agent";
import type { callerCalls } from "./call-for.ts";
import type { Caller } from "./caller.ts";

export interface CallerServerParts {
  /** Asked at each request: what a caller may use can change. */
  readonly caller: () => Promise<Caller>;
  readonly version: string;
  readonly calls: ReturnType<typeof callerCalls>;
}

/** A server of the protocol that lists and runs the tools of one caller. */
export function callerServer(ServerClass: typeof Server, { caller, version, calls }: CallerServerParts): Server {
  const server = new ServerClass({ name: "talaria", version }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler("tools/list", async () => {
    const { tools } = await caller();
    const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
    return {
      tools: toolSpecs(tools).map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: { ...parameters, type: "object" as const },
        annotations: { readOnlyHint: effects.get(name) === "read" },
      })),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const progressToken = mcpReq._meta?.progressToken;
    let steps = 0;
    return await calls(await caller(), params, mcpReq.signal, (message) => {
      if (progressToken === undefined) return;
      steps += 1;
      const progress = { progressToken, progress: steps, message };
      mcpReq.notify({ method: "notifications/progress", params: progress }).catch(() => undefined);
    });
  });
  return server;
}
