import type { ToolContext, ToolResult } from "@talaria/agent";
import { backoffMs, GatewayError, type Log } from "@talaria/protocol";
import { callServer } from "./call-server.ts";
import { AskingCalls } from "./elicitation/asking-calls.ts";
import type { KeptTool } from "./kept-tool.ts";
import { KeptTools } from "./kept-tools.ts";
import { isStdio, type McpServerConfig } from "./mcp-config.ts";
import type { McpTool } from "./mcp-tool.ts";
import { noLongerThan } from "./no-longer-than.ts";
import { LoginNeeded, ServerLogin } from "./oauth/server-login.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { type OpenClient, openClient } from "./open-client.ts";
import type { McpDeps } from "./ports.ts";
import { problemOf } from "./problem-of.ts";
import type { ServerState, ServerStatus } from "./server-status.ts";
import { checkStillOffered, notConnected } from "./still-offered.ts";
import { ToolWatch } from "./tool-watch.ts";
import { problemText } from "./untrusted.ts";

const reconnect = { firstMs: 1_000, longestMs: 300_000 };
const nothing: OfferedTools = { tools: [], leftOut: [], notes: [], unknown: [] };
const stoppedText = "it was stopped";
/** How soon a login that ended in another process is noticed. */
const loginPauseMs = 30_000;
/** A connection that lasted this long was a good one: the next attempt comes soon. */
const steadyMs = 60_000;
/** How long a call waits for the first attempt to connect, whose own limit may be longer. */
const firstConnectMs = 15_000;

/** One server, connected in the background for as long as it is wanted. Nothing here waits for another server. */
export class ServerConnection {
  readonly #name: string;
  readonly #config: McpServerConfig;
  readonly #deps: McpDeps;
  readonly #log: Log;
  readonly #login: ServerLogin | undefined;
  readonly #kept: KeptTools;
  readonly #asking: AskingCalls | undefined;
  readonly #stopping = new AbortController();
  #state: ServerState = { state: "unused" };
  #running: Promise<void> | undefined;
  #live: { readonly open: OpenClient; readonly watch: ToolWatch; lose(reason: string): void } | undefined;
  #last: OfferedTools = nothing;
  #wake: (() => void) | undefined;
  #isLegacy = false;
  readonly #tried = Promise.withResolvers<void>();

  constructor(name: string, config: McpServerConfig, deps: McpDeps) {
    this.#name = name;
    this.#config = config;
    this.#log = deps.log.child({ server: name });
    this.#deps = { ...deps, log: this.#log };
    this.#kept = new KeptTools(name, config, (tool, input, context) => this.#call(tool, input, context));
    const { askPerson: ask, clock } = deps;
    this.#asking = ask && new AskingCalls({ ask, clock, log: this.#log });
    const settings = isStdio(config) ? undefined : config.oauth;
    if (isStdio(config) || settings === undefined || deps.login === undefined) return;
    this.#login = new ServerLogin({
      server: name,
      url: config.url,
      settings,
      port: deps.login,
      clock: deps.clock,
      log: this.#log,
      fetch: deps.fetch,
      onLoggedIn: () => this.#wake?.(),
    });
  }

  start(): void {
    this.#running ??= this.#run(this.#stopping.signal);
  }

  /** Empty while the server is away. Asking also has the list looked at again, in the background, when it is old. */
  tools(): readonly McpTool[] {
    return this.#live?.watch.tools() ?? [];
  }

  /** Resolves when the first attempt to connect has come out one way or the other. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  get isReady(): boolean {
    return this.#live !== undefined;
  }

  /** What a prompt was shown, also while the server is away. */
  shown(kept: readonly KeptTool[]): readonly McpTool[] {
    return this.#kept.shown(kept, this.tools());
  }

  status(): ServerStatus {
    const { state } = this.#state;
    const problem = "problem" in this.#state ? this.#state.problem : this.#login?.shortage;
    const { tools, leftOut, notes, unknown } = this.#live?.watch.offered() ?? nothing;
    return {
      name: this.#name,
      state,
      tools: tools.length,
      leftOut,
      notes,
      unknown,
      ...(problem === undefined ? {} : { problem }),
      ...("era" in this.#state ? { era: this.#state.era } : {}),
    };
  }

  /** Ends a login with what the browser was sent back with. Throws `invalid_request` when it belongs to no login. */
  async finishLogin(callback: URLSearchParams): Promise<void> {
    await this.#ownLogin().finish(callback);
  }

  /** Has a person asked anew, however long ago the last time was. */
  async askAgain(isAnew: boolean): Promise<void> {
    if (await this.#ownLogin().askAgain(isAnew)) this.#live?.lose("another login is asked for");
    this.#wake?.();
  }

  /** Connects now, if it has not begun to, and ends the pause before the next attempt. */
  tryAgain(): void {
    this.start();
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#tried.resolve();
    await this.#running;
    this.#state = { state: "stopped" };
  }

  #ownLogin(): ServerLogin {
    if (this.#login !== undefined) return this.#login;
    throw new GatewayError(`the MCP server "${this.#name}" has no login`, { code: "invalid_request" });
  }

  async #run(signal: AbortSignal): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      this.#state = { state: "connecting" };
      const { problem, lastedMs, isLogin } = await this.#connectOnce(signal);
      this.#tried.resolve();
      if (signal.aborted) break;
      attempt = lastedMs >= steadyMs ? 1 : attempt + 1;
      this.#state = { state: isLogin ? "login" : "down", problem };
      const pauseMs = isLogin ? loginPauseMs : backoffMs(attempt, reconnect, this.#deps.random());
      this.#log.warn({ problem, pauseMs }, "MCP server is away");
      await this.#pause(pauseMs, signal);
    }
    this.#login?.stop();
  }

  /** Resolves when there is no connection, whether it could not be made or is over. */
  async #connectOnce(signal: AbortSignal): Promise<{ problem: string; lastedMs: number; isLogin: boolean }> {
    const { clock } = this.#deps;
    let open: OpenClient | undefined;
    let watch: ToolWatch | undefined;
    let readyAt: number | undefined;
    const closing = new AbortController();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<string>();
    const onStop = () => {
      closing.abort(new Error(stoppedText));
      stop(stoppedText);
    };
    signal.addEventListener("abort", onStop, { once: true });
    if (signal.aborted) onStop();
    try {
      open = await this.#open(closing.signal, () => watch?.refresh());
      const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
      watch = new ToolWatch({
        server: this.#name,
        config: this.#config,
        client: open.client,
        clock,
        log: this.#log,
        before: this.#last.tools,
        signal: closing.signal,
        onLost: lose,
        call: (tool, input, context) => this.#call(tool, input, context),
      });
      await watch.first();
      this.#live = { open, watch, lose };
      readyAt = clock.elapsed();
      this.#tried.resolve();
      this.#state = { state: "ready", era: open.client.getProtocolEra() ?? "legacy" };
      const { tools, leftOut } = watch.offered();
      this.#log.info({ tools: tools.length, leftOut }, "MCP server is connected");
      const problem = problemText(await Promise.race([open.ended, lost, stopped]));
      this.#state = { state: "down", problem };
      return { problem, lastedMs: clock.elapsed() - readyAt, isLogin: false };
    } catch (error) {
      const { name, requiredScope } = error as { name?: string; requiredScope?: string };
      const isScope = name === "InsufficientScopeError";
      const isAsking = isScope && (await this.#login?.needsScope(requiredScope)) === true;
      const isLogin = isScope || error instanceof LoginNeeded || name === "UnauthorizedError";
      const shortage = isScope ? this.#login?.shortage : undefined;
      return {
        problem: open?.reason() ?? shortage ?? this.#withRemedy(problemOf(error)),
        lastedMs: 0,
        isLogin: isLogin && this.#login !== undefined && !isAsking,
      };
    } finally {
      if (this.#live !== undefined) this.#last = this.#live.watch.offered();
      this.#live = undefined;
      signal.removeEventListener("abort", onStop);
      closing.abort();
      await open?.close().catch(() => undefined);
    }
  }

  /** The client names the status in its words alone, and bubblewrap the path. */
  #withRemedy(problem: string): string {
    if (isStdio(this.#config) && /Can't find source path \S+: Permission denied/.test(problem))
      return `${problem}: the account that runs commands can't enter that folder of "readable". Install the server elsewhere, such as below /opt`;
    if (this.#login !== undefined || !problem.includes("HTTP 401")) return problem;
    return `${problem}: set mcp.servers.${this.#name}.oauth to {} for a login, or a header with a key`;
  }

  async #open(signal: AbortSignal, onListChanged: () => void): Promise<OpenClient> {
    const isLegacy = this.#isLegacy;
    // Unless it works out, the next attempt tries the other way: a server may have been replaced by a newer one.
    this.#isLegacy = !isLegacy && isStdio(this.#config);
    const open = await openClient(
      {
        server: this.#name,
        config: this.#config,
        deps: this.#deps,
        login: this.#login,
        asking: this.#asking,
        isLegacy,
        onListChanged,
        onTrouble: (error) => this.#log.debug({ error }, "MCP connection reports trouble"),
      },
      signal,
    );
    this.#isLegacy = isLegacy;
    return open;
  }

  async #call(tool: McpTool, input: unknown, context: ToolContext): Promise<ToolResult> {
    const live = this.#live ?? (await this.#firstLive(context.signal));
    if (live === undefined) throw notConnected(tool, "problem" in this.#state ? this.#state.problem : "");
    checkStillOffered(tool, live.watch.offered().tools);
    return await callServer(tool, input, context, {
      client: live.open.client,
      config: this.#config,
      asking: this.#asking,
      reason: () => live.open.reason(),
      onLost: live.lose,
      onScopeMissing: async (scope) => {
        if (await this.#login?.needsScope(scope)) live.lose("a wider login is asked for");
        return this.#login?.shortage;
      },
    });
  }

  /** A worker that has just begun may resume a turn, with a call that somebody has approved, before its servers are there. */
  async #firstLive(signal: AbortSignal) {
    const ended = AbortSignal.any([signal, this.#stopping.signal]);
    await noLongerThan(firstConnectMs, this.#tried.promise, this.#deps.clock, ended);
    return this.#live;
  }

  /** Ends early when a login has succeeded, or may have. */
  async #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    await this.#deps.clock.sleep(pauseMs, AbortSignal.any([signal, waking.signal])).catch(() => undefined);
    this.#wake = undefined;
  }
}
