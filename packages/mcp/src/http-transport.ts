import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import type { McpDeps } from "./ports.ts";

/** A server may say how soon its event stream is opened again, but not to do it without a pause. */
const [shortestReopenMs, longestReopenMs] = [500, 300_000];

/** Of the error that answers a request here whose stream has ended without an answer. No server's code: those of JSON-RPC end at -32000. */
export const brokenOff = -31_999;

/**
 * MCP over Streamable HTTP. The library waits for an answer as long as the request may take, also when the stream that should bring it
 * has ended and can't be taken up again (2026-07-28 has no way to do that): such a request is answered at once.
 */
export function httpTransport(
  sdk: typeof import("@modelcontextprotocol/client"),
  { deps, login }: { readonly deps: McpDeps; readonly login: ServerLogin | undefined },
  { url, headers }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
): StreamableHTTPClientTransport {
  const authProvider = login?.authProvider();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: boundedFetch(deps.fetch, deps.clock),
    reconnectionScheduler: (reconnect, delayMs) => {
      const waiting = new AbortController();
      const pauseMs = Math.min(longestReopenMs, Math.max(shortestReopenMs, delayMs));
      deps.clock.sleep(pauseMs, waiting.signal).then(reconnect, () => undefined);
      return () => waiting.abort();
    },
    ...(headers === undefined ? {} : { requestInit: { headers: { ...headers } } }),
    ...(authProvider === undefined ? {} : { authProvider }),
  });
  const unanswered = new Set<RequestId>();
  let watched: StreamableHTTPClientTransport["onmessage"];
  /** Whoever connects sets its listener anew. */
  const watchAnswers = () => {
    const deliver = transport.onmessage;
    if (deliver === undefined || deliver === watched) return;
    watched = (message: JSONRPCMessage) => {
      if (!("method" in message) && message.id !== undefined) unanswered.delete(message.id);
      deliver(message);
    };
    transport.onmessage = watched;
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = requestIn(message);
    if (id === undefined || options?.onRequestStreamEnd !== undefined) return await send(message, options);
    unanswered.add(id);
    watchAnswers();
    const onRequestStreamEnd = () => {
      if (!unanswered.delete(id)) return;
      const error = { code: brokenOff, message: "the stream has ended without an answer" };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      unanswered.delete(id);
      throw error;
    }
  };
  return transport;
}

function requestIn(message: Parameters<StreamableHTTPClientTransport["send"]>[0]): RequestId | undefined {
  return !Array.isArray(message) && "method" in message && "id" in message ? message.id : undefined;
}
