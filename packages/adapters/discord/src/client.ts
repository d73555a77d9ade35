import { proxiedFetch } from "@talaria/adapter-kit";
import { GatewayError } from "@talaria/protocol";
import {
  DefaultRestOptions,
  type RawFile,
  REST,
  type RESTOptions,
  type RequestMethod,
  type RouteLike,
} from "discord.js";
import { toGatewayError } from "./errors.ts";

export interface DiscordRequest {
  readonly method: `${RequestMethod}`;
  /** Below the version: `/channels/1/messages`. */
  readonly path: RouteLike;
  readonly body?: object;
  readonly files?: RawFile[];
  readonly query?: Readonly<Record<string, string>>;
  /** The path itself carries the right to call it; the bot's token stays away. */
  readonly isTokenless?: boolean;
}

/** Discord's REST API. Calls throw only GatewayError, are never repeated and never wait for a rate limit. */
export interface DiscordClient {
  call(request: DiscordRequest, signal: AbortSignal): Promise<unknown>;
  /** Fetches a file by one of Discord's links. Throws `forbidden` for other addresses, else what `fetch` throws. */
  download(url: string, signal: AbortSignal): Promise<Response>;
  /** For clients of the library's own: where the API is, and how to reach it. */
  restOptions(): Partial<RESTOptions>;
  /** Ends timers and connections. The client may be used again. */
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly token: string;
  readonly apiRoot: string;
  /** Calls and downloads go through this proxy. */
  readonly proxy?: URL | undefined;
}

/** Uploads included. */
const callTimeoutMs = 60_000;

export function createDiscordClient({ token, apiRoot, proxy }: ClientOptions): DiscordClient {
  let rest: REST | undefined;
  let route: ReturnType<typeof proxiedFetch> | undefined;
  const routeOf = (url: URL) => {
    route ??= proxiedFetch(url);
    return route.fetch;
  };
  const restOptions = (): Partial<RESTOptions> => ({
    api: apiRoot,
    retries: 0,
    timeout: callTimeoutMs,
    offset: 0,
    rejectOnRateLimit: () => true,
    makeRequest: async (url, init) => {
      const whole = await inOnePiece(init);
      if (proxy === undefined) return DefaultRestOptions.makeRequest(url, whole);
      return (await routeOf(proxy)(url, whole as unknown as RequestInit)) as unknown as ReturnType<MakeRequest>;
    },
  });
  return {
    restOptions,
    async call({ method, path, body, files, query, isTokenless = false }, signal) {
      const action = `${method} ${path.replace(/(?<=\/interactions\/|\/webhooks\/).*|\d{5,}/g, ":id")}`;
      if (signal.aborted)
        throw new GatewayError(`${action} was aborted before it began`, { code: "aborted", effect: "none" });
      rest ??= new REST(restOptions());
      // A refused call makes the library forget the token.
      rest.setToken(token);
      try {
        return await rest.request({
          method: method as RequestMethod,
          fullRoute: path,
          signal,
          auth: !isTokenless,
          ...(body && { body }),
          ...(files && { files }),
          ...(query && { query: new URLSearchParams(query) }),
        });
      } catch (error) {
        throw toGatewayError(error, action, signal);
      }
    },
    async download(url, signal) {
      if (!isTrusted(url, apiRoot))
        throw new GatewayError("discord named an address for a file that is not its own", { code: "forbidden" });
      const through = proxy === undefined ? fetch : routeOf(proxy);
      return through(url, { signal, redirect: "error" });
    },
    async close() {
      rest?.clearHashSweeper();
      rest?.clearHandlerSweeper();
      rest = undefined;
      const closing = route?.close();
      route = undefined;
      await closing;
    },
  };
}

/** Hosts that Discord keeps files on, and where the configuration points. */
function isTrusted(address: string, apiRoot: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (url.origin === new URL(apiRoot).origin) return true;
  const isDiscords = /^(?:[a-z0-9-]+\.)*(?:discordapp\.(?:com|net)|discord\.com)$/.test(url.hostname);
  return url.protocol === "https:" && url.port === "" && isDiscords;
}

type MakeRequest = RESTOptions["makeRequest"];

/**
 * The library's body may be a form, which only the `fetch` it belongs to understands. While a form is encoded as it is sent, a connection that
 * breaks, or an answer that comes early, makes undici reject a promise that nobody handles, which ends the process
 * (https://github.com/nodejs/undici/issues/5835 is about the same loop). Bytes are understood by all, and are there before they are sent.
 */
async function inOnePiece(init: Parameters<MakeRequest>[1]): Promise<Parameters<MakeRequest>[1]> {
  const { body, headers } = init as unknown as RequestInit;
  if (!(body instanceof FormData)) return init;
  const encoded = new Response(body);
  const given = new Headers(headers);
  given.set("content-type", encoded.headers.get("content-type") ?? "");
  const whole = { headers: Object.fromEntries(given), body: Buffer.from(await encoded.arrayBuffer()) };
  return { ...init, ...whole } as unknown as Parameters<MakeRequest>[1];
}
