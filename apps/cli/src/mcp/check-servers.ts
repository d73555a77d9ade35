import { createToolSources } from "@talaria/app-worker";
import { systemClock } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { serverLines } from "../commands/status-lines.ts";
import type { LoadedHome } from "../load-home.ts";
import { plainLog } from "../plain-log.ts";
import { shownWord } from "../shown-word.ts";
import { version } from "../version.ts";
import { foldersOf } from "../workplace/folders-of.ts";
import { trustNotes } from "./trust-notes.ts";

/** A server that has not answered by then is shown as it is: one that installs itself first takes a while. */
const longestMs = 60_000;
const lookMs = 100;

/**
 * Connects to MCP servers as a worker does, and says of each what came of it, a line each. False unless all of them are
 * ready. Throws one sentence when there is no such server.
 */
export async function checkServers(
  name: string,
  { logins, skills }: Pick<Store, "logins" | "skills">,
  { config, home }: LoadedHome,
): Promise<boolean> {
  const servers = name === "" ? config.mcp.servers : one(name, config.mcp.servers);
  const sources = await createToolSources({
    config: { ...config, mcp: { ...config.mcp, servers } },
    ...{ version, store: { logins, skills }, clock: systemClock, random: Math.random, log: plainLog },
    // Servers offer tools that ask people to those who say that somebody answers.
    askPerson: async () => ({ status: "nobody" }),
    ...(await foldersOf(home, config.sandbox)),
  });
  try {
    const { mcp } = sources;
    if (mcp === undefined) throw new Error("no MCP server is configured: name one in mcp.servers, see docs/tools.md");
    mcp.start();
    const isUnknown = () => mcp.status().some(({ state }) => state === "unused" || state === "connecting");
    const until = performance.now() + longestMs;
    while (isUnknown() && performance.now() < until) await systemClock.sleep(lookMs);
    const found = mcp.status();
    for (const line of serverLines([{ stats: { mcp: found } }])) console.log(line);
    for (const note of trustNotes({ mcp: { ...config.mcp, servers }, policy: config.policy })) console.log(note);
    for (const { name, notes } of found) for (const note of notes) console.log(`${name}: ${note}`);
    return found.every(({ state }) => state === "ready");
  } finally {
    await sources.stop();
  }
}

function one<Entry>(name: string, servers: Readonly<Record<string, Entry>>): Readonly<Record<string, Entry>> {
  const entry = servers[name];
  if (entry !== undefined) return { [name]: entry };
  const names = Object.keys(servers).join(", ") || "none";
  throw new Error(`there is no MCP server called ${shownWord(name)} in mcp.servers: there is ${names}`);
}
