import type { TalariaConfig } from "@talaria/config";
import type { Mcp, StdioChild } from "@talaria/mcp";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";

export interface McpServersDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

const version = "0.1.0";

/** Connects the configured MCP servers in the background. Undefined without any: then nothing of the protocol is loaded. */
export async function startMcpServers(
  { servers }: TalariaConfig["mcp"],
  deps: McpServersDeps,
): Promise<Mcp | undefined> {
  const entries = Object.entries(servers);
  if (entries.length === 0) return undefined;
  const { createMcp } = await import("@talaria/mcp");
  const mcp = createMcp(
    {
      servers: Object.fromEntries(
        entries.map(([name, { url, headers, tools, reads, timeoutMs }]) => [
          name,
          {
            url,
            headers: Object.fromEntries(Object.entries(headers).map(([key, secret]) => [key, secret.reveal()])),
            ...(tools === undefined ? {} : { tools }),
            reads,
            timeoutMs,
          },
        ]),
      ),
    },
    { ...deps, version, spawn: nothingIsStarted, fetch: fetchFrom(entries.map(([, { url }]) => new URL(url).origin)) },
  );
  mcp.start();
  return mcp;
}

/** Only what the operator has named is reached, wherever a server may send us. */
function fetchFrom(origins: readonly string[]): typeof fetch {
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (origins.includes(origin)) return await fetch(input, init);
    throw new GatewayError(`an MCP server named ${origin}, which is not configured`, { code: "forbidden" });
  };
}

/** The configuration names addresses alone. */
function nothingIsStarted(): Promise<StdioChild> {
  throw new GatewayError("MCP servers are not started here", { code: "unsupported" });
}
