import type { LoginRequest, LoginStore, Mcp } from "@talaria/mcp";
import { isGatewayError } from "@talaria/protocol";
import type { ServerEntry } from "../mcp-config.ts";
import { createMcpServers, type McpServersDeps } from "../mcp-servers.ts";

/** A login that nobody has ended by then is over. */
const longestMs = 600_000;
const lookMs = 200;
/** A server that is away for so long is not waited for. */
const awayMs = 5_000;

/** How a login stands. Addresses were written by servers: https, or on this machine. */
export type LoginState =
  | { readonly state: "beginning" }
  /** The login would go to an origin that is not configured. */
  | { readonly state: "trust"; readonly origin: string }
  | { readonly state: "browser"; readonly url: string }
  | { readonly state: "code"; readonly url: string; readonly userCode: string }
  /**
   * `isInUse`: nobody was asked, because the server lets us in as it did. `origins` is what `oauth.origins` has to be for workers to renew
   * the login; absent where it is that already.
   */
  | { readonly state: "done"; readonly tools: number; readonly isInUse?: true; readonly origins?: readonly string[] }
  | { readonly state: "failed"; readonly problem: string };

export interface LoginAttemptDeps extends Pick<McpServersDeps, "clock" | "random" | "log" | "version"> {
  readonly store: LoginStore;
  /** Whether somebody can be asked about origins that are not configured. Default: yes. */
  readonly asksForOrigins?: boolean;
  /** The server has let us in. */
  done(): void;
}

/** One login to one server, from the first question to its end. Begins at once. */
export class LoginAttempt {
  readonly #name: string;
  readonly #entry: ServerEntry;
  readonly #deps: LoginAttemptDeps;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #trusted: string[] = [];
  #mcp: Mcp | undefined;
  #state: LoginState = { state: "beginning" };
  /** The first is being asked. */
  readonly #questions: { readonly origin: string; answer(isTrusted: boolean): void }[] = [];
  #wasShown = false;
  readonly #begunAt: number;
  /** After that. */
  #untilMs = longestMs;
  #callbackState: string | undefined;
  #finishing: { readonly given: string; readonly ended: Promise<void> } | undefined;

  /** `entry.oauth.redirectUrl` is where the browser is sent back to. `isAnew`: also where the login that there is would do. */
  constructor(name: string, entry: ServerEntry, deps: LoginAttemptDeps, isAnew = false) {
    this.#name = name;
    this.#entry = entry;
    this.#deps = deps;
    this.#begunAt = deps.clock.elapsed();
    this.#running = this.#run(isAnew).catch((error: unknown) => this.#fail(error));
  }

  get state(): LoginState {
    const [question] = this.#questions;
    return question === undefined ? this.#state : { state: "trust", origin: question.origin };
  }

  get isOver(): boolean {
    return this.#state.state === "done" || this.#state.state === "failed";
  }

  /** What the browser is sent back with names this login. Undefined: it is open nowhere. */
  get callbackState(): string | undefined {
    return this.isOver ? undefined : this.#callbackState;
  }

  /** Answers the question whether this origin is trusted. False: it is not the one that is asked about. */
  trust(origin: string, isTrusted: boolean): boolean {
    const [question] = this.#questions;
    if (question?.origin !== origin) return false;
    this.#questions.shift();
    question.answer(isTrusted);
    return true;
  }

  /**
   * Ends it with what the browser was sent back with, once for the same parameters, however often they come: a server may end
   * a login whose code it sees again (RFC 6749, section 4.1.2). Throws what `Mcp.finishLogin` throws.
   */
  finish(parameters: URLSearchParams): Promise<void> {
    const given = parameters.toString();
    if (this.#finishing?.given !== given) this.#finishing = { given, ended: this.#finishWith(parameters) };
    return this.#finishing.ended;
  }

  async #finishWith(parameters: URLSearchParams): Promise<void> {
    try {
      await this.#mcp?.finishLogin(this.#name, parameters);
    } catch (error) {
      if (!isGatewayError(error, "invalid_request")) this.#fail(error);
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const question of this.#questions.splice(0)) question.answer(false);
    await this.#running;
  }

  async #run(isAnew: boolean): Promise<void> {
    const { clock, random, log, version, store, asksForOrigins = true } = this.#deps;
    const mcp = await createMcpServers(
      { servers: { [this.#name]: this.#entry } },
      {
        ...{ clock, random, log, version },
        login: { store, ask: async (request) => this.#show(request) },
        ...(asksForOrigins && { trustsOrigin: (origin: string) => this.#askFor(origin) }),
      },
    );
    if (mcp === undefined) return;
    this.#mcp = mcp;
    try {
      await mcp.askForLogin(this.#name, isAnew);
      mcp.start();
      await this.#untilEnd(mcp);
    } finally {
      await mcp.stop();
    }
  }

  async #untilEnd(mcp: Mcp): Promise<void> {
    const { clock } = this.#deps;
    const begunAt = this.#begunAt;
    let awayFrom: number | undefined;
    while (!this.isOver && !this.#stopping.signal.aborted) {
      const [status] = mcp.status();
      const now = clock.elapsed();
      if (status?.state === "ready") return this.#end(status.tools);
      if (status?.state !== "down" || this.#questions.length > 0) awayFrom = undefined;
      else awayFrom ??= now;
      if (awayFrom !== undefined && now - awayFrom > awayMs) return this.#fail(new Error(status?.problem));
      if (now - begunAt > this.#untilMs) return this.#fail(new Error("nobody has logged in in time: begin again"));
      await clock.sleep(lookMs, this.#stopping.signal).catch(() => undefined);
    }
  }

  #show(request: LoginRequest): void {
    this.#wasShown = true;
    if (request.kind === "code") {
      const { url, userCode, expiresAt } = request;
      const { clock } = this.#deps;
      this.#untilMs = clock.elapsed() - this.#begunAt + Math.min(longestMs, expiresAt - clock.now());
      this.#state = { state: "code", url, userCode };
      return;
    }
    this.#callbackState = URL.parse(request.url)?.searchParams.get("state") ?? undefined;
    this.#state = { state: "browser", url: request.url };
  }

  async #askFor(origin: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (this.#stopping.signal.aborted) return false;
    this.#questions.push({ origin, answer: resolve });
    const isTrusted = await promise;
    if (isTrusted) this.#trusted.push(origin);
    return isTrusted;
  }

  #end(tools: number): void {
    const origins = [...(this.#entry.oauth?.origins ?? []), ...this.#trusted];
    this.#state = {
      ...{ state: "done", tools },
      ...(!this.#wasShown && { isInUse: true }),
      ...(this.#trusted.length > 0 && { origins }),
    };
    this.#deps.done();
  }

  #fail(error: unknown): void {
    if (this.isOver) return;
    const problem = error instanceof Error ? error.message : String(error);
    this.#state = { state: "failed", problem };
    this.#deps.log.warn({ server: this.#name, problem }, "login to an MCP server failed");
  }
}
