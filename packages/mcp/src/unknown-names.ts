import type { McpServerConfig } from "./mcp-config.ts";
import { label } from "./untrusted.ts";

const mostNamed = 5;

/**
 * Names in the configuration of a server that it has no tool of, with what to do: at most a line for each key. A slip in `reads` costs
 * a question at each call, one in `digests` that nobody has looked at the tool, so it would never be found.
 */
export function unknownNames(server: string, known: ReadonlySet<string>, config: McpServerConfig): readonly string[] {
  const named = { reads: config.reads ?? [], digests: Object.keys(config.digests ?? {}) };
  return Object.entries(named).flatMap(([key, names]) => {
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length === 0) return [];
    const there = known.size === 0 ? "no tool" : listedNames([...known].toSorted());
    return [
      `mcp.servers.${server}.${key} names ${listedNames(unknown)}, which it does not have: correct the name or take it out. It has ${there}`,
    ];
  });
}

export function listedNames(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return names.slice(0, mostNamed).map(label).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
