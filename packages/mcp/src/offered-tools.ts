import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { toolSpecs } from "@talaria/agent";
import type { ToolList } from "./list-tools.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { type CallServer, type McpTool, mcpTool } from "./mcp-tool.ts";
import { toolNotes } from "./tool-notes.ts";
import { unknownNames } from "./unknown-names.ts";
import { label, problemText } from "./untrusted.ts";

/** Of one server, in one prompt. An allow-list chooses which. */
const mostTools = 200;
const mostCharsOfAll = 200_000;
const mostReported = 20;

export interface OfferedTools {
  /** Sorted by name, none twice. */
  readonly tools: readonly McpTool[];
  /** Why tools are missing, for the operator; at most some twenty lines. */
  readonly leftOut: readonly string[];
  /** What the operator may want to know of those that are there; at most some twenty lines. */
  readonly notes: readonly string[];
  /** Names in the configuration that are those of nothing, and what to do; a few lines. */
  readonly unknown: readonly string[];
}

export interface Offering {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly call: CallServer;
  /** The list before this one. What has not changed stays the same object. */
  readonly before: readonly McpTool[];
}

/** What of a server's list becomes tools of the agent. A bad tool costs nobody but itself. */
export function offeredTools(list: ToolList, { server, config, call, before }: Offering): OfferedTools {
  const known = new Map(before.map((tool) => [tool.digest, tool]));
  const tools = new Map<string, McpTool>();
  const leftOut = new Reasons();
  let chars = 0;
  for (const listed of wanted(list, config, leftOut)) {
    if (tools.size >= mostTools) {
      leftOut.add(`more than ${mostTools} tools: choose with "tools" which to use`);
      break;
    }
    try {
      const made = mcpTool(server, listed, config, call);
      const tool = known.get(made.digest) ?? made;
      check(tool, tools, config);
      chars += JSON.stringify(toolSpecs([tool])).length;
      if (chars > mostCharsOfAll) {
        leftOut.add(`descriptions of more than ${mostCharsOfAll} characters: choose with "tools" which to use`);
        break;
      }
      tools.set(tool.name, tool);
    } catch (error) {
      leftOut.add(`${label(listed.name)}: ${problemText(error instanceof Error ? error.message : String(error))}`);
    }
  }
  const sorted = [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  const names = new Set(list.tools.map(({ name }) => name));
  // Of a list that was cut nobody knows what else is in it.
  const unknown = list.isCut ? [] : unknownNames(server, names, config);
  return { tools: sorted, leftOut: leftOut.lines(), notes: toolNotes(sorted, config), unknown };
}

function wanted({ tools, isCut }: ToolList, config: McpServerConfig, leftOut: Reasons): readonly ListedTool[] {
  if (isCut) leftOut.add("its list has no end: only the beginning was read");
  const names = new Set(tools.map(({ name }) => name));
  for (const name of config.tools ?? [])
    if (!names.has(name)) leftOut.add(`${label(name)}: the server has no such tool`);
  const chosen = config.tools === undefined ? tools : tools.filter(({ name }) => config.tools?.includes(name));
  // Which ones are cut off must not depend on the order they were listed in.
  return chosen.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function check(tool: McpTool, others: ReadonlyMap<string, McpTool>, { digests }: McpServerConfig): void {
  if (others.has(tool.name)) throw new Error("the server has two tools of this name");
  const wantedDigest = digests?.[tool.nameThere];
  if (wantedDigest === undefined || wantedDigest === tool.digest) return;
  throw new Error(`the server has changed it since it was looked at: its digest is now ${tool.digest}`);
}

class Reasons {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < mostReported) this.#lines.push(line);
    else this.#more += 1;
  }

  lines(): readonly string[] {
    return this.#more === 0 ? this.#lines : [...this.#lines, `and ${this.#more} more`];
  }
}
