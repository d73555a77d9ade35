import { createInterface } from "node:readline";
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

/**
 * Shows where to log in to one MCP server, and waits until the server lets us in. The answer of a browser comes by itself, or is
 * pasted. Throws one sentence that says what went wrong.
 */
export async function logIn(name: string, entry: ServerEntry & LoginEntry, store: LoginStore): Promise<void> {
  const attempt = new LoginAttempt(name);
  const ask = async (request: LoginRequest) => attempt.show(request);
  const deps = { clock: systemClock, random: Math.random, log: plainLog, version, login: { store, ask } };
  const mcp = await createMcpServers({ servers: { [name]: entry } }, deps);
  if (mcp === undefined) throw new Error(`there is no MCP server called ${name}`);
  const listener = await listenForCallback(entry.oauth.redirectUrl, (found) => attempt.finish(mcp, found));
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const found = URL.parse(line.trim())?.searchParams;
    if (found !== undefined) void attempt.finish(mcp, found).then((text) => console.log(text));
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

  constructor(name: string) {
    this.#name = name;
  }

  show(request: LoginRequest): void {
    this.#isAsked = true;
    if (request.kind === "code") {
      this.#untilMs = performance.now() - this.#started + Math.min(longestMs, request.expiresAt - Date.now());
      console.log(`Open ${request.url} and enter the code ${request.userCode}`);
      return;
    }
    console.log(`Open this address in a browser and log in:\n${request.url}`);
    console.log("If the browser ends at a page that does not load, paste that page's address here.");
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
        console.log(`${this.#name}: ${how}, ${status.tools} tools. Running workers notice it within a minute.`);
        return;
      }
      if (status?.state === "login") awayFrom = undefined;
      if (status?.state === "down") {
        awayFrom ??= performance.now();
        if (performance.now() - awayFrom > awayMs) throw new Error(`${this.#name}: ${status.problem}`);
      }
      if (performance.now() - this.#started > this.#untilMs)
        throw new Error(`nobody has logged in to ${this.#name} in time: run the command again`);
      await systemClock.sleep(lookMs);
    }
  }
}
