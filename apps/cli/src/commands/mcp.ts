import type { TalariaConfig } from "@talaria/config";
import { loadOrCreateKey } from "@talaria/store";
import type { Home } from "../home.ts";
import { checkServers } from "../mcp/check-servers.ts";
import { type LoginEntry, logIn } from "../mcp/log-in.ts";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** `talaria mcp login NAME`: logs in to an MCP server for all workers. */
export function login(options: Options, name = ""): Promise<void> {
  const isAnew = options.anew === true;
  return withStore(
    options,
    ({ logins }, { config }) => logIn(name, entryOf(name, config.mcp), logins, { isAnew }),
    keysOf,
  );
}

/** `talaria mcp logout NAME`: forgets the login, and the client that was registered for it. */
export function logout(options: Options, name = ""): Promise<void> {
  return withStore(options, async ({ logins }) => {
    const wasKept = await logins.forgetAll(name);
    console.log(wasKept ? `forgot the login to ${name}` : `nothing was kept of a login to ${name}`);
  });
}

/** `talaria mcp check [NAME]`: connects to the configured MCP servers, or to one of them, and says what came of it. */
export async function checkMcp(options: Options, name = ""): Promise<void> {
  const areReady = await withStore(options, (store, loaded) => checkServers(name, store, loaded), keysOf);
  if (!areReady) process.exitCode = 1;
}

async function keysOf({ loginKeyFile }: Home) {
  return { loginKey: await loadOrCreateKey(loginKeyFile) };
}

function entryOf(
  name: string,
  { servers }: TalariaConfig["mcp"],
): TalariaConfig["mcp"]["servers"][string] & LoginEntry {
  const entry = servers[name];
  if (entry === undefined) {
    const names = Object.keys(servers).join(", ") || "none";
    throw new Error(`there is no MCP server called ${shownWord(name)} in mcp.servers: there is ${names}`);
  }
  if (entry.url === undefined) throw new Error(`the MCP server ${name} is a program: it gets its keys by variables`);
  const { oauth } = entry;
  if (oauth === undefined) throw new Error(`the MCP server ${name} has no login: set mcp.servers.${name}.oauth to {}`);
  if (oauth.grant === "client_credentials")
    throw new Error(`the MCP server ${name} needs no login by a person: its client logs in by itself`);
  return { ...entry, oauth };
}
