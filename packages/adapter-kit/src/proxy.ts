import { type ClientRequest, type Agent as HttpAgent, type IncomingMessage, Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { createRequire } from "node:module";
import type { Dispatcher } from "undici";

const load = createRequire(import.meta.url);

/**
 * For `fetch` of Node.js and other clients on undici: every request goes through a CONNECT tunnel of the proxy, also one to
 * a plain http address. Name and password in `url` become `Proxy-Authorization`. The caller destroys it: `close`
 * waits for downloads that nobody reads.
 */
export function proxyDispatcher(url: URL): Dispatcher {
  // Loaded only where there is a proxy: it takes some 4 MB.
  const { Dispatcher1Wrapper, ProxyAgent } = load("undici") as typeof import("undici");
  // Node.js has an older undici built in, whose handlers a dispatcher of this one refuses without the wrapper.
  return new Dispatcher1Wrapper(new ProxyAgent({ uri: url.href, proxyTunnel: true }));
}

export interface ProxiedFetch {
  readonly fetch: typeof fetch;
  /** For other clients on undici. */
  readonly dispatcher: Dispatcher;
  /** Ends the connections, also those that are in use: a download that nobody reads would block it forever. */
  close(): Promise<void>;
}

/** `fetch` through a proxy. */
export function proxiedFetch(url: URL): ProxiedFetch {
  const dispatcher = proxyDispatcher(url);
  const through: typeof fetch = (address, init) => fetch(address, { ...init, dispatcher } as object);
  return { fetch: through, dispatcher, close: () => dispatcher.destroy() };
}

export interface ProxyAgentOptions {
  /** Whether the requests go to https addresses: those are tunnelled, the others are passed on by the proxy. */
  readonly isSecure: boolean;
  /** How long an idle connection stays open. */
  readonly idleMs: number;
}

/**
 * For clients on `node:http`: an agent that keeps connections, through the proxy where there is one. An answer that ends early
 * is an error of its request. The caller destroys it.
 */
export function keptAliveAgent({ isSecure, idleMs }: ProxyAgentOptions, proxy?: URL): HttpAgent {
  const route = proxy === undefined ? {} : { proxyEnv: { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href } };
  const options = { keepAlive: true, timeout: idleMs, ...route };
  return withWholeAnswers(isSecure ? new SecureAgent(options) : new PlainAgent(options));
}

/** What every agent has, and the types leave out: it is handed each request. */
interface Asked {
  addRequest(request: ClientRequest, ...more: readonly unknown[]): void;
}

/** Libraries that pipe an answer, as node-fetch does, wait for the rest of one that was cut off until their time is over. */
function withWholeAnswers(agent: HttpAgent): HttpAgent {
  const asked = agent as unknown as Asked;
  const addRequest = asked.addRequest.bind(agent);
  asked.addRequest = (request, ...more) => {
    request.once("response", (answer: IncomingMessage) => {
      answer.once("close", () => {
        if (answer.complete || request.listenerCount("error") === 0) return;
        request.emit("error", Object.assign(new Error("the answer ended early"), { code: "ECONNRESET" }));
      });
    });
    addRequest(request, ...more);
  };
  return agent;
}
