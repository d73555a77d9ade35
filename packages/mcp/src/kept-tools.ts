import { toolSpecs } from "@talaria/agent";
import type { KeptTool } from "./kept-tool.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { type CallServer, type McpTool, restoredTool } from "./mcp-tool.ts";

/** Of one conversation's prompt. Tools of servers that would make it more are not shown there. */
export const mostKeptChars = 1_000_000;
const mostRestored = 1_000;

/** What to keep of a tool that a prompt is shown. */
export function keptTool(tool: McpTool): KeptTool {
  const { name, description, parameters } = specOf(tool);
  const { nameThere, isAdmitted, digest, headerSchema } = tool;
  return {
    name,
    nameThere,
    description,
    parameters: { ...parameters },
    isAdmitted,
    digest,
    ...(headerSchema === undefined ? {} : { headerSchema }),
  };
}

/** Makes tools of what prompts were shown: the very same bytes, whatever the server says by now. */
export class KeptTools {
  readonly #server: string;
  readonly #config: McpServerConfig;
  readonly #call: CallServer;
  readonly #restored = new Map<string, McpTool>();

  constructor(server: string, config: McpServerConfig, call: CallServer) {
    this.#server = server;
    this.#config = config;
    this.#call = call;
  }

  /** Without those that the configuration no longer wants. What has not changed is the tool of the list. */
  shown(kept: readonly KeptTool[], offered: readonly McpTool[]): readonly McpTool[] {
    const byName = new Map(offered.map((tool) => [tool.name, tool]));
    return kept.flatMap((one) => {
      const current = byName.get(one.name);
      if (current?.isAdmitted === one.isAdmitted && isSame(specOf(current), one)) return [current];
      return this.#isWanted(one) ? [this.#restore(one)] : [];
    });
  }

  #isWanted({ nameThere, digest }: KeptTool): boolean {
    const { tools, digests } = this.#config;
    const pinned = digests?.[nameThere];
    return (tools === undefined || tools.includes(nameThere)) && (pinned === undefined || pinned === digest);
  }

  #restore(kept: KeptTool): McpTool {
    const key = `${kept.digest} ${kept.isAdmitted}`;
    const known = this.#restored.get(key);
    if (known !== undefined) return known;
    if (this.#restored.size >= mostRestored) this.#restored.clear();
    const tool = restoredTool(this.#server, kept, this.#config, this.#call);
    this.#restored.set(key, tool);
    return tool;
  }
}

function specOf(tool: McpTool) {
  const [spec] = toolSpecs([tool]);
  if (spec === undefined) throw new Error("a tool has no form for the model");
  return spec;
}

function isSame(one: ReturnType<typeof specOf>, { description, parameters }: KeptTool): boolean {
  return one.description === description && JSON.stringify(one.parameters) === JSON.stringify(parameters);
}
