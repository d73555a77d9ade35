import type { Clock } from "@talaria/protocol";
import { z } from "zod";
import { type KeptTool, keptToolSchema } from "./kept-tool.ts";
import { keptTool, mostKeptChars } from "./kept-tools.ts";
import type { McpTool } from "./mcp-tool.ts";
import { noLongerThan } from "./no-longer-than.ts";
import type { ServerConnection } from "./server-connection.ts";

/** What one prompt is shown for as long as it lives. */
export interface FrozenTools {
  /** Sorted by name. */
  readonly tools: readonly McpTool[];
  /** What to hand in the next time. Absent: the same as before. */
  readonly keep?: string;
}

/** By the server's name. A server without any tools was met, too. */
const keptSchema = z.record(z.string(), z.array(keptToolSchema));

/** How long a prompt that begins waits for servers that it could begin with. */
const patienceMs = 5_000;

/**
 * Connects the servers that nobody has needed before. The tools of a prompt: a server's stay what the prompt was first shown
 * of them, down to the byte, until the configuration wants another server or fewer tools. A server that the prompt has not met,
 * since it was away or is new, joins once; the first attempt to connect it is waited for, five seconds at most.
 */
export async function frozenTools(
  servers: ReadonlyMap<string, ServerConnection>,
  kept: string | undefined,
  clock: Clock,
): Promise<FrozenTools> {
  const met = readKept(kept);
  for (const server of servers.values()) server.start();
  const unmet = [...servers].filter(([name, { isReady }]) => !isReady && !met.has(name));
  if (unmet.length > 0) await noLongerThan(patienceMs, Promise.all(unmet.map(([, { tried }]) => tried)), clock);
  let chars = kept?.length ?? 0;
  let hasJoined = false;
  const tools: McpTool[] = [];
  for (const [name, server] of servers) {
    const known = met.get(name);
    if (known !== undefined) {
      tools.push(...server.shown(known));
      continue;
    }
    if (!server.isReady) continue;
    const own = server.tools();
    const joining = own.map(keptTool);
    chars += JSON.stringify(joining).length;
    if (chars > mostKeptChars) continue;
    met.set(name, joining);
    hasJoined = true;
    tools.push(...own);
  }
  return {
    tools: tools.sort((one, other) => (one.name < other.name ? -1 : 1)),
    ...(hasJoined ? { keep: JSON.stringify(Object.fromEntries(met)) } : {}),
  };
}

/** What can't be read counts as nothing: the prompt begins anew with the lists as they are. */
function readKept(text: string | undefined): Map<string, readonly KeptTool[]> {
  if (text === undefined) return new Map();
  try {
    return new Map(Object.entries(keptSchema.parse(JSON.parse(text))));
  } catch {
    return new Map();
  }
}
