import type { Caller } from "@talaria/mcp";
import { type McpToken, type Store, tokenDigest } from "@talaria/store";
import { servedCaller } from "../served-caller.ts";
import type { ToolSettings, ToolSources } from "../tool-sources.ts";

/** Callers whose journal is in memory. The one that was here longest ago is read from the database again. */
const mostKnown = 200;

/**
 * Whom a token speaks for, looked up at each request. What callers have heard that is untrusted is kept in the database, so that it
 * counts for as long as their token lives, whichever process answers.
 */
export function httpCallers(
  options: ToolSettings & { readonly store: Pick<Store, "fileTaint" | "media" | "mcpTokens"> },
  sources: ToolSources,
): (token: string) => Promise<Caller | undefined> {
  const { mcpTokens } = options.store;
  const known = new Map<string, () => Promise<Caller>>();
  const begin = (digest: string, { name, role, heard, workspace }: McpToken) =>
    servedCaller(options, sources, {
      caller: { name, role },
      workspace,
      heard,
      hears: (tool) => mcpTokens.heard(digest, tool),
    });
  return async (token) => {
    const digest = tokenDigest(token);
    const found = await mcpTokens.find(digest);
    const callerNow = found && (known.get(digest) ?? begin(digest, found));
    known.delete(digest);
    if (callerNow === undefined) return undefined;
    known.set(digest, callerNow);
    const oldest = known.keys().next();
    if (known.size > mostKnown && !oldest.done) known.delete(oldest.value);
    return await callerNow();
  };
}
