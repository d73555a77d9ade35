import { GatewayError } from "@talaria/protocol";
import { type FrozenTools, frozenTools } from "./frozen-tools.ts";
import type { McpConfig } from "./mcp-config.ts";
import type { McpTool } from "./mcp-tool.ts";
import type { McpDeps } from "./ports.ts";
import { ServerConnection } from "./server-connection.ts";
import type { ServerStatus } from "./server-status.ts";
import { checkServerName } from "./tool-name.ts";

const mostServers = 50;

export interface Mcp {
  /** Begins to connect every server, each by itself and in the background. Never fails, and nothing waits for it. `frozen` does it too. */
  start(): void;
  /**
   * The tools of the servers that are connected, sorted by name. They stay callable for as long as their servers have them.
   * Later lists may differ: a prompt has those of `frozen`.
   */
  tools(): readonly McpTool[];
  /**
   * The tools of a prompt that lives on, which begins to connect servers that nobody has needed before: `kept` is what the last
   * call for this prompt gave to `keep`, undefined for a new one. A list that changes changes nothing here. Calls of tools that are gone say so.
   */
  frozen(kept?: string): Promise<FrozenTools>;
  /** One entry for each configured server, in the order of the configuration. */
  status(): readonly ServerStatus[];
  /**
   * Ends a login by browser with the parameters of the address it was sent back to. Throws `not_found` for an unknown server,
   * `invalid_request` for parameters that belong to no open login, `unauthorized` where the login was refused.
   */
  finishLogin(server: string, callback: URLSearchParams): Promise<void>;
  /**
   * Asks a person to log in now, where it is needed; with `isAnew` also where the server would let us in with the login that there is,
   * which stays until another one is made. By itself a server asks once a day. Throws `not_found` for an unknown server, `invalid_request`
   * for one without a login.
   */
  askForLogin(server: string, isAnew?: boolean): Promise<void>;
  /** Tries a server that is away or unused now: a login to it may have ended elsewhere. Does nothing for an unknown one. */
  tryAgain(server: string): void;
  /** Ends every connection and every process. */
  stop(): Promise<void>;
}

/** The servers of the configuration as tools of the agent. Throws `invalid_request` for a configuration that can't work. */
export function createMcp(config: McpConfig, deps: McpDeps): Mcp {
  const names = Object.keys(config.servers);
  if (names.length > mostServers) {
    throw new GatewayError(`mcp.servers: at most ${mostServers}, not ${names.length}`, { code: "invalid_request" });
  }
  for (const name of names) checkServerName(name);
  const servers = new Map(
    Object.entries(config.servers).map(([name, server]) => [name, new ServerConnection(name, server, deps)]),
  );
  const named = (name: string): ServerConnection => {
    const server = servers.get(name);
    if (server !== undefined) return server;
    throw new GatewayError(`there is no MCP server called "${name}"`, { code: "not_found" });
  };
  return {
    start() {
      for (const server of servers.values()) server.start();
    },
    tools: () =>
      [...servers.values()].flatMap((server) => server.tools()).sort((one, other) => (one.name < other.name ? -1 : 1)),
    frozen: async (kept) => await frozenTools(servers, kept, deps.clock),
    status: () => [...servers.values()].map((server) => server.status()),
    finishLogin: async (name, callback) => await named(name).finishLogin(callback),
    askForLogin: async (name, isAnew = false) => await named(name).askAgain(isAnew),
    tryAgain: (name) => servers.get(name)?.tryAgain(),
    async stop() {
      await Promise.all([...servers.values()].map((server) => server.stop()));
    },
  };
}
