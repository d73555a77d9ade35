import { proxiedFetch } from "@talaria/adapter-kit";
import { GatewayError } from "@talaria/protocol";
import { type RawFile, REST, type RESTOptions, type RequestMethod, type RouteLike } from "discord.js";
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
    ...(proxy === undefined ? {} : { makeRequest: (url, init) => throughProxy(routeOf(proxy), url, init) }),
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

/** The library's body may be a form, which only the `fetch` it belongs to understands: bytes are understood by all. */
async function throughProxy(
  through: typeof fetch,
  url: string,
  init: Parameters<MakeRequest>[1],
): ReturnType<MakeRequest> {
  const { body, headers, ...rest } = init as unknown as RequestInit;
  const whole = new Response(body ?? null);
  const given = new Headers(headers);
  const type = whole.headers.get("content-type");
  if (type !== null && !given.has("content-type")) given.set("content-type", type);
  const bytes = body ? { body: Buffer.from(await whole.arrayBuffer()) } : {};
  return (await through(url, {
    ...rest,
    headers: Object.fromEntries(given),
    ...bytes,
  })) as unknown as ReturnType<MakeRequest>;
}
