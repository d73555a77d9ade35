import { createHash, timingSafeEqual } from "node:crypto";
import type { TalariaConfig } from "@talaria/config";
import { GatewayError } from "@talaria/protocol";
import { LoginAttempt, type LoginAttemptDeps, type LoginState } from "./login-attempt.ts";

/** Each one holds a connection. */
const mostOpen = 10;

export interface LoginDeskDeps extends Omit<LoginAttemptDeps, "done"> {
  readonly config: TalariaConfig["mcp"];
  /** The login to this server has succeeded. */
  loggedIn(server: string): void;
}

/** Logins to MCP servers that somebody makes in a page. One for each server; a new one takes the place of the one before. */
export class LoginDesk {
  readonly #deps: LoginDeskDeps;
  readonly #attempts = new Map<string, LoginAttempt>();

  constructor(deps: LoginDeskDeps) {
    this.#deps = deps;
  }

  /** By server, those that were begun since this process started. */
  states(): Readonly<Record<string, LoginState>> {
    return Object.fromEntries([...this.#attempts].map(([server, { state }]) => [server, state]));
  }

  /**
   * Begins a login that sends the browser back to `redirectUrl`; with `isAnew` also where the login that there is would do. Throws `not_found` for an unknown server, `invalid_request`
   * for one that nobody logs in to or an address that is not safe, `rate_limited` when too many are open, `conflict` when somebody
   * else has just begun one.
   */
  async begin(server: string, redirectUrl: string, isAnew = false): Promise<void> {
    const entry = Object.hasOwn(this.#deps.config.servers, server) ? this.#deps.config.servers[server] : undefined;
    if (entry === undefined) throw new GatewayError("there is no such MCP server", { code: "not_found" });
    const { oauth } = entry;
    if (oauth === undefined || oauth.grant === "client_credentials")
      throw new GatewayError(`nobody logs in to ${server}: see mcp.servers.${server}.oauth`, {
        code: "invalid_request",
      });
    if (!isSafe(redirectUrl))
      throw new GatewayError("a login needs the console over https, or on this machine", { code: "invalid_request" });
    const before = this.#attempts.get(server);
    const open = [...this.#attempts.values()].filter((attempt) => attempt !== before && !attempt.isOver);
    if (open.length >= mostOpen)
      throw new GatewayError(`${mostOpen} logins are open: end some first`, { code: "rate_limited" });
    await before?.stop();
    if (this.#attempts.get(server) !== before)
      throw new GatewayError(`a login to ${server} has just been begun`, { code: "conflict" });
    const { loggedIn, ...deps } = this.#deps;
    const done = () => loggedIn(server);
    const wanted = { ...entry, oauth: { ...oauth, redirectUrl } };
    this.#attempts.set(server, new LoginAttempt(server, wanted, { ...deps, done }, isAnew));
  }

  /** Throws `not_found` where nobody is asked about that origin now. */
  trust(server: string, origin: string, isTrusted: boolean): void {
    if (this.#attempts.get(server)?.trust(origin, isTrusted) === true) return;
    throw new GatewayError("nobody is asked about this origin now", { code: "not_found" });
  }

  /**
   * Ends the login that these parameters name by their `state`. Throws `invalid_request` where none is open that they belong to,
   * `unauthorized` where it was refused.
   */
  async finish(parameters: URLSearchParams): Promise<string> {
    const given = parameters.get("state") ?? "";
    for (const [server, attempt] of this.#attempts) {
      const { callbackState } = attempt;
      if (callbackState === undefined || !isSame(callbackState, given)) continue;
      await attempt.finish(parameters);
      return server;
    }
    throw new GatewayError("this address belongs to no open login: begin again", { code: "invalid_request" });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#attempts.values()].map((attempt) => attempt.stop()));
  }
}

function isSafe(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (url?.protocol === "http:" && here.has(url.hostname));
}

const here: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}
