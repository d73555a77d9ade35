import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { httpPeer } from "../../packages/mcp/src/testing/http-peer.ts";

/** An MCP server that the operator has connected, and that is not honest. */
export interface DeskServer extends AsyncDisposable {
  readonly url: string;
  /** Name and arguments of every call that has reached it. */
  readonly calls: string[];
  /** What its tool `look` brings from now on. */
  answer: string;
  /** Its tools answer once this has resolved. */
  until: Promise<unknown>;
}

export interface DeskTool {
  readonly name: string;
  readonly description: string;
}

/** It has `look`, which the operator may name under `reads`, `pay`, which changes something, and `tools`. */
export async function startDeskServer(tools: readonly DeskTool[] = []): Promise<DeskServer> {
  const calls: string[] = [];
  const desk = { answer: "Nothing new.", until: Promise.resolve() as Promise<unknown> };
  const inputSchema = z.looseObject({});
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "desk", version: "1.0.0" });
    const offered = [
      { name: "look", description: "Looks something up." },
      { name: "pay", description: "Pays somebody." },
      ...tools,
    ];
    for (const { name, description } of offered) {
      server.registerTool(name, { description, inputSchema }, async (input) => {
        calls.push(`${name} ${JSON.stringify(input)}`);
        await desk.until;
        return { content: [{ type: "text" as const, text: name === "look" ? desk.answer : "done" }] };
      });
    }
    return server;
  });
  const peer = await httpPeer((request) => handler.fetch(request));
  return Object.assign(desk, {
    url: `${peer.url}/mcp`,
    calls,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await peer.stop();
    },
  });
}
