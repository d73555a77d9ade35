import type { TalariaConfig } from "@talaria/config";
import type { AskPerson, LoginPort, Mcp, Spawn } from "@talaria/mcp";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { type ServerEntry, toServerConfig } from "./mcp-config.ts";
import { maskedFetch, maskedSpawn } from "./mcp-masked.ts";
import type { Workspaces } from "./workspaces.ts";

/** Origins that a person is asked about in one login. */
const mostAsked = 5;

export interface McpServersDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Ours, as servers read it. */
  readonly version: string;
  /** Absent: servers that are programs stay away. */
  readonly workspaces?: Pick<Workspaces, "launch">;
  readonly login: LoginPort;
  readonly askPerson?: AskPerson;
  /** Whether a login may go to this origin, which the operator has not named. Asked once for each. Absent: it may not. */
  readonly trustsOrigin?: (origin: string) => Promise<boolean>;
}

/**
 * The configured MCP servers; `start` connects them in the background. Undefined without any: then nothing of the protocol is
 * loaded.
 */
export async function createMcpServers(
  { servers }: Pick<TalariaConfig["mcp"], "servers">,
  { workspaces, trustsOrigin, ...deps }: McpServersDeps,
): Promise<Mcp | undefined> {
  const entries = Object.entries(servers);
  if (entries.length === 0) return undefined;
  const { createMcp } = await import("@talaria/mcp");
  return createMcp(
    { servers: Object.fromEntries(entries.map(([name, entry]) => [name, toServerConfig(entry)])) },
    {
      ...deps,
      spawn: maskedSpawn(spawnIn(workspaces)),
      fetch: maskedFetch(
        fetchFrom(
          entries.flatMap(([, entry]) => originsOf(entry)),
          trustsOrigin,
        ),
      ),
    },
  );
}

/** Servers over stdio run where commands do, each with a folder and processes of its own, and nowhere else. */
function spawnIn(workspaces: McpServersDeps["workspaces"]): Spawn {
  return async ({ server, ...command }) => {
    if (workspaces !== undefined) return await workspaces.launch(`mcp/${server}`, command);
    throw new GatewayError("programs are not started here", { code: "unsupported" });
  };
}

function originsOf({ url, oauth }: ServerEntry): readonly string[] {
  return [...(url === undefined ? [] : [url]), ...(oauth?.origins ?? [])].map((one) => new URL(one).origin);
}

/** Only what the operator has named is reached, wherever a server may send us. Redirects are answers like any other. */
function fetchFrom(origins: readonly string[], trustsOrigin: McpServersDeps["trustsOrigin"]): typeof fetch {
  const asked = new Map<string, Promise<boolean>>();
  const isTrusted = (origin: string): Promise<boolean> | false => {
    if (trustsOrigin === undefined || !isSecure(origin) || asked.size >= mostAsked) return asked.get(origin) ?? false;
    const answer = asked.get(origin) ?? trustsOrigin(origin);
    asked.set(origin, answer);
    return answer;
  };
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (origins.includes(origin) || (await isTrusted(origin)))
      return await fetch(input, { ...init, redirect: "manual" });
    throw new GatewayError(
      `an MCP server named ${origin}, which is not configured. If its login is there and you trust it, add that to the server's oauth.origins`,
      { code: "forbidden" },
    );
  };
}

/** Nobody's login goes through a network unencrypted. */
function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}
