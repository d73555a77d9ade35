import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { LoginAttempt, type LoginState } from "@talaria/app-worker";
import type { TalariaConfig } from "@talaria/config";
import type { LoginStore } from "@talaria/mcp";
import { systemClock } from "@talaria/protocol";
import { plainLog } from "../plain-log.ts";
import { version } from "../version.ts";
import { listenForCallback } from "./callback-listener.ts";

const lookMs = 100;

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

export interface LoginEntry {
  readonly oauth: NonNullable<ServerEntry["oauth"]>;
}

export interface LogInOptions {
  /** Also where the login that there is would do. */
  readonly isAnew?: boolean;
  readonly terminal?: LoginTerminal;
}

/**
 * Shows where to log in to one MCP server, and waits until the server lets us in. The answer of a browser comes by itself, or is
 * pasted. At a terminal, a login that would go to an origin that is not configured is asked about. Throws one sentence that says what
 * went wrong.
 */
export async function logIn(
  name: string,
  entry: ServerEntry & LoginEntry,
  store: LoginStore,
  { isAnew = false, terminal = ownTerminal }: LogInOptions = {},
): Promise<void> {
  let attempt: LoginAttempt | undefined;
  /** What whoever logged in reads. Parameters of another login leave this one open. */
  const finish = async (parameters: URLSearchParams): Promise<string> =>
    (await attempt?.finish(parameters).then(
      () => "Done. You can close this page.",
      () => undefined,
    )) ?? "This login was not accepted. The terminal says why.";
  const listener = await listenForCallback(entry.oauth.redirectUrl, finish);
  const deps = {
    ...{ clock: systemClock, random: Math.random, log: plainLog, version, store },
    ...{ asksForOrigins: terminal.isTerminal, done: () => undefined },
  };
  const current = new LoginAttempt(name, entry, deps, isAnew);
  attempt = current;
  const lines = createInterface({ input: terminal.input });
  lines.on("line", (line) => {
    const { state } = current;
    if (state.state === "trust") {
      current.trust(state.origin, /^y(?:es)?$/i.test(line.trim()));
      return;
    }
    const found = URL.parse(line.trim())?.searchParams;
    if (found !== undefined) void finish(found).then((text) => terminal.say(text));
  });
  try {
    await untilEnd(name, current, terminal);
  } finally {
    lines.close();
    listener?.close();
    await current.stop();
  }
}

async function untilEnd(name: string, attempt: LoginAttempt, { say }: LoginTerminal): Promise<void> {
  for (let shown = ""; ; await systemClock.sleep(lookMs)) {
    const { state } = attempt;
    const now = JSON.stringify(state);
    if (now !== shown) for (const text of wordsOf(name, state)) say(text);
    shown = now;
    if (state.state === "failed") throw new Error(`${name}: ${state.problem}`);
    if (state.state === "done") return;
  }
}

function wordsOf(name: string, login: LoginState): readonly string[] {
  switch (login.state) {
    case "beginning":
    case "failed":
      return [];
    case "trust":
      return [`The login to ${name} goes to ${login.origin}. Trust this origin for logins? [y/N]`];
    case "code":
      return [`Open ${login.url} and enter the code ${login.userCode}`];
    case "browser":
      return [
        `Open this address in a browser and log in:\n${login.url}`,
        "If the browser ends at a page that does not load, paste that page's address here.",
      ];
    case "done": {
      const key = `mcp.servers.${name}.oauth.origins`;
      const origins = login.origins === undefined ? [] : [`${key}: ${JSON.stringify(login.origins)}`];
      const renewing = origins.map(
        (line) => `For workers to renew the login, write into the configuration:\n  ${line}`,
      );
      return [
        ...renewing,
        login.isInUse === true
          ? `${name}: this login is in use already, ${login.tools} tools. Another one: --anew.`
          : `${name}: logged in, ${login.tools} tools. Running workers notice it within a minute.`,
      ];
    }
    default:
      return login satisfies never;
  }
}
