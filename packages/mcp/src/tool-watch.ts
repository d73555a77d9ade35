import type { Client, McpSubscription } from "@modelcontextprotocol/client";
import type { Clock, Log } from "@talaria/protocol";
import { listTools } from "./list-tools.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import type { CallServer, McpTool } from "./mcp-tool.ts";
import { type OfferedTools, offeredTools } from "./offered-tools.ts";
import { problemText } from "./untrusted.ts";

/** A server that reports changes all the time is listened to this often. */
const refreshPauseMs = 1_000;
/** Between looks at a list whose server names no time, or too short a one. It also tells that the server is still there. */
const usualAgeMs = 60_000;
const longestAgeMs = 3_600_000;

export interface ToolWatchDeps {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly before: readonly McpTool[];
  readonly signal: AbortSignal;
  readonly call: CallServer;
  /** The list can't be read: the server is away. */
  onLost(reason: string): void;
}

/** The tools of one connection, looked at again when the server says that they changed or the list is old. */
export class ToolWatch {
  readonly #deps: ToolWatchDeps;
  #offered: OfferedTools;
  #readAt = 0;
  #ageMs = usualAgeMs;
  #refreshing: Promise<void> | undefined;
  #isRead = false;
  #isChanged = false;
  #subscription: McpSubscription | undefined;

  constructor(deps: ToolWatchDeps) {
    this.#deps = deps;
    this.#offered = { tools: deps.before, leftOut: [], notes: [], unknown: [] };
    this.#keep(deps.client.autoOpenedSubscription);
  }

  /** Reads the list for the first time. Throws when it can't be read. */
  async first(): Promise<void> {
    await this.#read();
    this.#isRead = true;
    if (this.#isChanged) this.refresh();
  }

  offered(): OfferedTools {
    return this.#offered;
  }

  tools(): readonly McpTool[] {
    if (this.#deps.clock.elapsed() - this.#readAt >= this.#ageMs) this.refresh();
    return this.#offered.tools;
  }

  /** Reads the list again in the background. What is asked for meanwhile is one more reading, not many. */
  refresh(): void {
    this.#isChanged = true;
    if (!this.#isRead) return;
    this.#refreshing ??= this.#readWhileChanged().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #readWhileChanged(): Promise<void> {
    const { clock, signal, onLost } = this.#deps;
    try {
      while (this.#isChanged) {
        this.#isChanged = false;
        await this.#read();
        await this.#listen();
        await clock.sleep(refreshPauseMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) onLost(`its list of tools can't be read: ${problemText((error as Error).message)}`);
    }
  }

  async #read(): Promise<void> {
    const { server, config, client, clock, log, signal, call } = this.#deps;
    const list = await listTools(client, signal);
    const { tools: before, unknown: said } = this.#offered;
    this.#offered = offeredTools(list, { server, config, call, before });
    for (const slip of this.#offered.unknown)
      if (!said.includes(slip)) log.warn({ slip }, "MCP server has no such tool");
    this.#readAt = clock.elapsed();
    this.#ageMs = Math.min(longestAgeMs, Math.max(usualAgeMs, list.ttlMs ?? 0));
    const added = this.#offered.tools.filter((tool) => !before.includes(tool)).map(({ name }) => name);
    if (before.length > 0 && added.length > 0) {
      log.info({ changed: added.slice(0, 20) }, "MCP server has new or changed tools, for new sessions");
    }
  }

  /** Servers of the new era report changes on a stream of its own, which ends with every proxy's patience. */
  async #listen(): Promise<void> {
    const { client, signal, log } = this.#deps;
    const mayChange = client.getServerCapabilities()?.tools?.listChanged === true;
    if (client.getProtocolEra() !== "modern" || !mayChange || this.#subscription !== undefined) return;
    try {
      this.#keep(await client.listen({ toolsListChanged: true }, { signal }));
    } catch (error) {
      log.debug({ error }, "MCP server takes no subscription");
    }
  }

  #keep(subscription: McpSubscription | undefined): void {
    this.#subscription = subscription;
    void subscription?.closed.then(() => {
      this.#subscription = undefined;
    });
  }
}
