import { type FetchFunction, type Logger, LogLevel, WebClient, type WebClientOptions } from "@slack/web-api";
import { foreignAnswer, type ProxiedFetch, proxiedFetch } from "@talaria/adapter-kit";
import { GatewayError, type Log } from "@talaria/protocol";
import { statusError, toGatewayError } from "./errors.ts";

/** Slack's Web API and its files. Calls throw only GatewayError, are never repeated and never wait for a rate limit. */
export interface SlackClient {
  call(method: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<SlackAnswer>;
  /** Posts a file's bytes to an address that `files.getUploadURLExternal` gave. Nobody sees them yet. */
  upload(url: string, bytes: Buffer, signal: AbortSignal): Promise<void>;
  /** A private file, with our token. Refuses addresses that are not Slack's. */
  download(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** For whoever makes a client of the library: nothing is repeated or waited for, and the proxy is used. */
  readonly options: Readonly<WebClientOptions> & { readonly fetch: FetchFunction };
  /** The proxy, for sockets. */
  readonly dispatcher: ProxiedFetch["dispatcher"] | undefined;
}

export type SlackAnswer = Readonly<Record<string, unknown>>;

export interface ClientOptions {
  readonly token: string;
  readonly apiRoot: string;
  readonly log: Log;
  readonly proxy?: URL | undefined;
}

/** Uploads included. */
const callTimeoutMs = 60_000;

export function createSlackClient({ token, apiRoot, log, proxy }: ClientOptions): SlackClient {
  const { dispatcher, fetch: route } = proxy === undefined ? { fetch } : proxiedFetch(proxy);
  const send: FetchFunction = (url, init) => route(url, init as RequestInit);
  const options = {
    slackApiUrl: apiRoot,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quiet(log),
    fetch: send,
  };

  async function ask(url: string, init: object, action: string, signal: AbortSignal): Promise<Response> {
    if (signal.aborted) throw abortedEarly(action);
    const whole = AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
    try {
      const response = await route(url, { ...init, redirect: "error", signal: whole });
      if (response.ok) return response;
      await response.body?.cancel();
      throw statusError(response.status, action, Number(response.headers.get("retry-after") ?? 1) * 1_000);
    } catch (error) {
      throw toGatewayError(error, action, signal);
    }
  }

  return {
    options,
    dispatcher,
    async call(method, args, signal) {
      if (signal.aborted) throw abortedEarly(method);
      const whole = AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
      let refused: GatewayError | undefined;
      // One for each call, since the library takes no signal per call; making one costs 0.1 ms.
      const web = new WebClient(token, {
        ...options,
        fetch: async (url, init) => {
          const response = await send(url, { ...init, redirect: "error", signal: whole });
          // Slack's own 429 says how long; of any other, the library keeps nothing.
          if (response.status === 429 && !/^\d/.test(response.headers.get("retry-after") ?? ""))
            refused = foreignAnswer("slack", method, 429);
          return response;
        },
      });
      try {
        return { ...(await web.apiCall(method, { ...args })) };
      } catch (error) {
        throw refused ?? toGatewayError(error, method, signal);
      }
    },
    async upload(url, bytes, signal) {
      const response = await ask(trusted(url, apiRoot), { method: "POST", body: bytes }, "an upload", signal);
      await response.body?.cancel();
    },
    async download(url, signal) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await ask(trusted(url, apiRoot), { headers }, "a download", signal);
      // Without the right to read files Slack answers with its page for logging in.
      if (response.body === null || response.headers.get("content-type")?.startsWith("text/html")) {
        await response.body?.cancel();
        throw new GatewayError("slack does not hand out the file: the app lacks files:read", { code: "forbidden" });
      }
      return response.body;
    },
  };
}

/** The token goes only to Slack, or to where the configuration points. */
function trusted(url: string, apiRoot: string): string {
  const { protocol, hostname, origin } = URL.canParse(url) ? new URL(url) : new URL("invalid:");
  const isSlack = protocol === "https:" && (hostname === "slack.com" || hostname.endsWith(".slack.com"));
  if (isSlack || origin === new URL(apiRoot).origin) return url;
  throw new GatewayError("slack named an address for a file that is not its own", { code: "forbidden" });
}

function abortedEarly(action: string): GatewayError {
  return new GatewayError(`${action} was aborted before it began`, { code: "aborted", effect: "none" });
}

/** The libraries write bodies into their debug lines, so only the fact that something was said is kept. */
export function quiet(log: Log): Logger {
  const noted = () => log.debug({}, "slack's library reports a problem");
  const ignored = () => undefined;
  return {
    debug: ignored,
    info: ignored,
    warn: noted,
    error: noted,
    setLevel: ignored,
    getLevel: () => LogLevel.ERROR,
    setName: ignored,
  };
}
