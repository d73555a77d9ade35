import { type ErrorCode, GatewayError } from "@talaria/protocol";
import { readBounded } from "./read-bounded.ts";

const longestMs = 20_000;
const mostBytes = 2_000_000;
const userAgent = "Mozilla/5.0 (compatible; Talaria)";

export interface ServiceCall {
  readonly method: "GET" | "POST";
  /** From the base on, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** What a status means with this service, where it is not the usual. */
  readonly refusals?: Readonly<Record<number, readonly [code: ErrorCode, text: string]>>;
}

export interface ServiceRequest {
  readonly base: string;
  (call: ServiceCall): Promise<string>;
}

const usual: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ["invalid_request", "rejected the request"],
  401: ["unauthorized", "does not take the key"],
  403: ["unauthorized", "does not take the key"],
  404: ["invalid_request", "is not at the configured address"],
  422: ["invalid_request", "rejected the request"],
  429: ["rate_limited", "asks to slow down"],
};

/** Requests to a service at an address of the operator's: no redirects, 20 s, 2 MB. Neither key nor answer is in an error. */
export function createServiceRequest(name: string, base: string): ServiceRequest {
  const ask = async ({ method, path, headers, body, signal, refusals = {} }: ServiceCall) => {
    const { fetch } = await import("undici");
    const ending = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { "user-agent": userAgent, ...headers },
        redirect: "error",
        signal: ending,
        ...(body !== undefined && { body }),
      });
      if (response.status !== 200) throw refusal(name, response, refusals);
      const { bytes, isCut } = await readBounded(response.body, mostBytes);
      if (isCut) throw new GatewayError(`${name} answered with more than ${mostBytes} bytes`, { code: "too_large" });
      return new TextDecoder().decode(bytes);
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      if (signal.aborted) throw new GatewayError("the search was stopped", { code: "aborted", effect: "none", cause });
      const why = ending.aborted ? `did not answer within ${longestMs / 1_000} s` : "cannot be reached";
      throw new GatewayError(`${name} ${why}`, { code: "unavailable", effect: "none", cause });
    }
  };
  return Object.assign(ask, { base });
}

function refusal(
  name: string,
  { status, headers }: { readonly status: number; readonly headers: { get(name: string): string | null } },
  refusals: NonNullable<ServiceCall["refusals"]>,
): GatewayError {
  const [code, text] =
    refusals[status] ?? usual[status] ?? (["unavailable", `answered with status ${status}`] as const);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {};
  return new GatewayError(`${name} ${text}`, { code, effect: "none", ...(code === "rate_limited" && retryAfterMs) });
}
