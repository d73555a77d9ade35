import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createMcpServers } from "@talaria/app-worker";
import type { TalariaConfig } from "@talaria/config";
import type { LoginRequest, LoginStore, Mcp } from "@talaria/mcp";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { plainLog } from "../plain-log.ts";
import { version } from "../version.ts";
import { listenForCallback } from "./callback-listener.ts";

const longestMs = 600_000;
const lookMs = 100;
/** A server that is away for so long is not waited for. */
const awayMs = 5_000;

type ServerEntry = TalariaConfig["mcp"]["servers"][string];

/** Where somebody logs in. */
export interface LoginTerminal {
  readonly input: Readable;
  /** Somebody is there to answer. */
  readonly isTerminal: boolean;
  say(text: string): void;
}

const ownTerminal: LoginTerminal = {
  input: process.stdin,
  isTerminal: process.stdin.isTTY === true,
  say: (text) => console.log(text),
};

/**
 * Shows where to log in to one MCP server, and waits until the server lets us in. The answer of a browser comes by itself, or is
 * pasted. At a terminal, a login that would go to an origin that is not configured is asked about. Throws one sentence that says what
 * went wrong.
 */
export async function logIn(
  name: string,
  entry: ServerEntry & LoginEntry,
  store: LoginStore,
  terminal: LoginTerminal = ownTerminal,
): Promise<void> {
  const attempt = new LoginAttempt(name, entry.oauth.origins, terminal);
  const ask = async (request: LoginRequest) => attempt.show(request);
  const deps = {
    ...{ clock: systemClock, random: Math.random, log: plainLog, version, login: { store, ask } },
    ...(terminal.isTerminal ? { trustsOrigin: (origin: string) => attempt.askFor(origin) } : {}),
  };
  const mcp = await createMcpServers({ servers: { [name]: entry } }, deps);
  if (mcp === undefined) throw new Error(`there is no MCP server called ${name}`);
  const listener = await listenForCallback(entry.oauth.redirectUrl, (found) => attempt.finish(mcp, found));
  const lines = createInterface({ input: terminal.input });
  lines.on("line", (line) => {
    if (attempt.answers(line)) return;
    const found = URL.parse(line.trim())?.searchParams;
    if (found !== undefined) void attempt.finish(mcp, found).then((text) => terminal.say(text));
  });
  try {
    await mcp.askForLogin(name);
    mcp.start();
    await attempt.end(mcp);
  } finally {
    lines.close();
    listener?.close();
    await mcp.stop();
  }
}

export interface LoginEntry {
  readonly oauth: NonNullable<ServerEntry["oauth"]>;
}

/** One login from the first question to its end. */
class LoginAttempt {
  readonly #name: string;
  readonly #started = performance.now();
  #untilMs = longestMs;
  #isAsked = false;
  #failure: unknown;
  readonly #terminal: LoginTerminal;
  readonly #origins: string[];
  readonly #open: { readonly origin: string; answer(isTrusted: boolean): void }[] = [];

  constructor(name: string, origins: readonly string[], terminal: LoginTerminal) {
    this.#name = name;
    this.#origins = [...origins];
    this.#terminal = terminal;
  }

  /** Whether somebody at the terminal trusts this origin with the login. */
  async askFor(origin: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#open.push({ origin, answer: resolve });
    if (this.#open.length === 1) this.#ask();
    const isTrusted = await promise;
    if (isTrusted) {
      this.#origins.push(origin);
      this.#terminal.say(
        `For workers to renew the login, write into the configuration:\n  mcp.servers.${this.#name}.oauth.origins: ${JSON.stringify(this.#origins)}`,
      );
    }
    return isTrusted;
  }

  /** Whether the line was an answer. */
  answers(line: string): boolean {
    const question = this.#open.shift();
    if (question === undefined) return false;
    question.answer(/^y(?:es)?$/i.test(line.trim()));
    this.#ask();
    return true;
  }

  #ask(): void {
    const [question] = this.#open;
    if (question === undefined) return;
    this.#terminal.say(`The login to ${this.#name} goes to ${question.origin}. Trust this origin for logins? [y/N]`);
  }

  show(request: LoginRequest): void {
    this.#isAsked = true;
    if (request.kind === "code") {
      this.#untilMs = performance.now() - this.#started + Math.min(longestMs, request.expiresAt - Date.now());
      this.#terminal.say(`Open ${request.url} and enter the code ${request.userCode}`);
      return;
    }
    this.#terminal.say(`Open this address in a browser and log in:\n${request.url}`);
    this.#terminal.say("If the browser ends at a page that does not load, paste that page's address here.");
  }

  /** Says what whoever logged in reads. Parameters of another login leave this one open. */
  async finish(mcp: Mcp, parameters: URLSearchParams): Promise<string> {
    try {
      await mcp.finishLogin(this.#name, parameters);
      return "Done. You can close this page.";
    } catch (error) {
      if (!isGatewayError(error, "invalid_request")) this.#failure = error;
      return "This login was not accepted. The terminal says why.";
    }
  }

  /** Resolves when the server lets us in. */
  async end(mcp: Mcp): Promise<void> {
    let awayFrom: number | undefined;
    for (;;) {
      const [status] = mcp.status();
      if (this.#failure !== undefined) throw this.#failure;
      if (status?.state === "ready") {
        const how = this.#isAsked ? "logged in" : "this login is in use already";
        this.#terminal.say(`${this.#name}: ${how}, ${status.tools} tools. Running workers notice it within a minute.`);
        return;
      }
      if (status?.state === "login" || this.#open.length > 0) awayFrom = undefined;
      else if (status?.state === "down") {
        awayFrom ??= performance.now();
        if (performance.now() - awayFrom > awayMs) throw new Error(`${this.#name}: ${status.problem}`);
      }
      if (performance.now() - this.#started > this.#untilMs)
        throw new Error(`nobody has logged in to ${this.#name} in time: run the command again`);
      await systemClock.sleep(lookMs);
    }
  }
}
