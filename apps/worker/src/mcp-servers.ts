import type { TalariaConfig } from "@talaria/config";
import type { Mcp, Spawn } from "@talaria/mcp";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { toServerConfig } from "./mcp-config.ts";
import type { Workspaces } from "./workspaces.ts";

export interface McpServersDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Ours, as servers read it. */
  readonly version: string;
  readonly workspaces: Pick<Workspaces, "launch">;
}

/** Connects the configured MCP servers in the background. Undefined without any: then nothing of the protocol is loaded. */
export async function startMcpServers(
  { servers }: TalariaConfig["mcp"],
  { workspaces, ...deps }: McpServersDeps,
): Promise<Mcp | undefined> {
  const entries = Object.entries(servers);
  if (entries.length === 0) return undefined;
  const { createMcp } = await import("@talaria/mcp");
  const mcp = createMcp(
    { servers: Object.fromEntries(entries.map(([name, entry]) => [name, toServerConfig(entry)])) },
    { ...deps, spawn: spawnIn(workspaces), fetch: fetchFrom(entries.flatMap(([, { url }]) => originsOf(url))) },
  );
  mcp.start();
  return mcp;
}

/** Servers over stdio run where commands do, each with a folder and processes of its own, and nowhere else. */
function spawnIn(workspaces: McpServersDeps["workspaces"]): Spawn {
  return ({ server, ...command }) => workspaces.launch(`mcp/${server}`, command);
}

function originsOf(url: string | undefined): readonly string[] {
  return url === undefined ? [] : [new URL(url).origin];
}

/** Only what the operator has named is reached, wherever a server may send us. */
function fetchFrom(origins: readonly string[]): typeof fetch {
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (origins.includes(origin)) return await fetch(input, init);
    throw new GatewayError(`an MCP server named ${origin}, which is not configured`, { code: "forbidden" });
  };
}
