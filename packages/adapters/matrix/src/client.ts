import type { proxyDispatcher } from "@talaria/adapter-kit";
import { GatewayError } from "@talaria/protocol";
import type { Method } from "matrix-js-sdk/lib/http-api/index.js";
import { toGatewayError } from "./errors.ts";
import { followRedirects } from "./follow-redirects.ts";
import { loadSdk, type Sdk } from "./sdk.ts";
import { boundedFetch, readWhole, routeThrough } from "./transport.ts";

export interface MatrixRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below `/_matrix`, without a query. Build it with `path`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: object;
  /** Longest wait for the whole answer. Default one minute. */
  readonly timeoutMs?: number;
}

export interface MatrixUpload {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly mimeType: string;
  /** Told to the homeserver when given. */
  readonly filename?: string;
}

/** A homeserver's client API. Calls throw only GatewayError, are never repeated and never wait for a rate limit. */
export interface MatrixClient {
  /** The answer's JSON, unread. */
  call(request: MatrixRequest, signal: AbortSignal): Promise<unknown>;
  /** The answer of the upload, unread. */
  upload(file: MatrixUpload, signal: AbortSignal): Promise<unknown>;
  /** A file as it comes, the path as in `MatrixRequest`. The caller reads it to the end or cancels. */
  open(path: string, signal: AbortSignal): Promise<Response>;
  /** The same homeserver with another token. */
  as(accessToken: string): MatrixClient;
}

export interface ClientOptions {
  readonly homeserver: string;
  /** A proxy that all requests go through. */
  readonly dispatcher?: ReturnType<typeof proxyDispatcher>;
}

const callTimeoutMs = 60_000;

/** Uploads and downloads take longer than other calls. */
const fileTimeoutMs = 5 * 60_000;

const prefix = "/_matrix";

/** Loads matrix-js-sdk. The client has no token; `as` gives one that has. */
export async function createMatrixClient(options: ClientOptions): Promise<MatrixClient> {
  return clientWith(await loadSdk(), options, undefined);
}

/**
 * matrix-js-sdk without its sync and without its scheduler, which is what repeats calls: one call here is one request. Its
 * own time limit leaves a timer behind for each request, so the limits come as signals.
 */
function clientWith(sdk: Sdk, options: ClientOptions, accessToken: string | undefined): MatrixClient {
  const { homeserver: baseUrl, dispatcher } = options;
  const client = new sdk.MatrixClient({
    baseUrl,
    fetchFn: boundedFetch(dispatcher),
    logger: sdk.silentLogger,
    disableVoip: true,
    ...(accessToken !== undefined && { accessToken }),
  });
  return {
    call: ({ method, path, query, body, timeoutMs = callTimeoutMs }, signal) =>
      within(timeoutMs, signal, actionOf(method, path), (abortSignal) => {
        const more = { prefix, abortSignal, inhibitLogoutEmit: true, priority: "auto" } as const;
        return client.http.authedRequest(method as Method, path, { ...query }, body, more);
      }),
    upload: ({ data, mimeType: type, filename }, signal) =>
      within(fileTimeoutMs, signal, "POST media/upload", async (abortSignal) => {
        const abortController = new AbortController();
        const abort = () => abortController.abort();
        abortSignal.addEventListener("abort", abort);
        const name = filename === undefined ? { includeFilename: false } : { name: filename };
        try {
          return await client.uploadContent(data, { type, abortController, ...name });
        } finally {
          abortSignal.removeEventListener("abort", abort);
        }
      }),
    open: (path, signal) =>
      within(fileTimeoutMs, signal, actionOf("GET", path), async (abortSignal) => {
        const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
        const { href } = client.http.getUrl(path, undefined, prefix);
        // The library would hold a file in memory as a whole, and follow to any address.
        const init = { headers, ...routeThrough(dispatcher), signal: abortSignal };
        const response = await followRedirects(href, init, { isProxied: dispatcher !== undefined });
        if (response.ok && response.body !== null) return response;
        const whole = await readWhole(response);
        throw sdk.parseErrorResponse(whole, await whole.text());
      }),
    as: (token) => clientWith(sdk, options, token),
  };
}

/** A path whose values are escaped: `` path`/client/v3/rooms/${roomId}/state` ``. */
export function path(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((all, text, n) => all + encodeURIComponent(values[n - 1] ?? "") + text);
}

async function within<T>(
  timeoutMs: number,
  signal: AbortSignal,
  action: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted)
    throw new GatewayError(`${action} was aborted before it began`, { code: "aborted", effect: "none" });
  try {
    return await work(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  } catch (error) {
    throw toGatewayError(error, action, signal);
  }
}

/** What the call is about, without ids: they do not belong into errors. */
function actionOf(method: string, whole: string): string {
  const words = whole.split("/").filter((word) => /^[a-z_.]{3,40}$/.test(word) && !word.startsWith("client"));
  return `${method} ${words.slice(0, 4).join("/")}`;
}
