import { type AddressGuard, createAddressGuard, type GuardOptions, type HandedSecret } from "@talaria/foreign-content";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import type { Dispatcher, Response } from "undici";
import { CarriedSecrets } from "./carried-secrets.ts";
import { readBounded } from "./read-bounded.ts";
import { webAddress } from "./web-address.ts";

const mostRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Without Brotli, which undici would ask for as well: its decoder has a hole in Node.js before 24.22.1 (CVE-2026-111497). */
const unasked = { "accept-encoding": "gzip, deflate" };
const userAgent = "Mozilla/5.0 (compatible; Talaria)";

export interface FetchLimits {
  readonly signal: AbortSignal;
  /** Redirects and body together. */
  readonly timeoutMs: number;
  /** Of the body, unpacked. What is behind them is not read. */
  readonly maxBytes: number;
  readonly accept?: string;
  /** Default: a GET with nothing of the caller's. One that sends a body is not repeated at another address. */
  readonly request?: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  /**
   * What handles in the request's headers become at the hosts that the secrets are for, by https, until a redirect leads elsewhere. Where a
   * host sends a value back, stars stand in its place.
   */
  readonly secrets?: readonly HandedSecret[];
  /** Asked of the address and of each redirect. Default: any. */
  readonly mayVisit?: (url: URL) => boolean;
  /**
   * Reads the body as it comes, for at most so much longer, instead of having it in memory: the answer then has no bytes. What it
   * throws is thrown. Undefined: the body is read as any other. `masked` puts stars in place of values in what is made of the body.
   */
  readonly take?: {
    readonly timeoutMs: number;
    content(
      answer: Answered,
      body: AsyncIterable<Uint8Array>,
      masked: (text: string) => string,
    ): Promise<void> | undefined;
  };
}

export interface Answered {
  /** Where it was at last, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
}

export interface Fetched extends Answered {
  readonly bytes: Uint8Array;
  /** The body was longer. */
  readonly isCut: boolean;
}

/**
 * Gets an address that somebody else chose. Throws `invalid_request` for what is no plain http or https address, `forbidden` where
 * it leads out of the public internet, `unavailable` for what goes wrong on the way, `aborted` when stopped. Where no server has
 * answered, the error's details say `answered: false`.
 */
export type GuardedFetch = (address: string, limits: FetchLimits) => Promise<Fetched>;

/**
 * The address is checked where the connection is made: a name is resolved once, every address of it must be permitted, and it is
 * these that are connected to, so a second answer of the resolver changes nothing. undici asks no resolver for literal addresses, so
 * those are checked before. Each redirect goes through the same checks, at most 5; the answer to a request that sends something is
 * given as it is. Nothing is sent but the request itself.
 */
export function createGuardedFetch(options: GuardOptions = {}): GuardedFetch {
  const guard = createAddressGuard(options);
  return async (address, limits) => {
    const { Agent, fetch } = await import("undici");
    const time = new Deadline(limits.timeoutMs);
    const signal = AbortSignal.any([limits.signal, time.signal]);
    const agent = new Agent({ connect: { lookup: guard.lookup }, maxHeaderSize: 32_768 });
    const { method = "GET", headers, body } = limits.request ?? {};
    const carried = new CarriedSecrets(limits.secrets ?? []);
    const preset = { "user-agent": userAgent, accept: limits.accept ?? "*/*", ...unasked };
    let answered = false;
    let asked: URL | undefined;
    const get = async (url: URL) => {
      asked = url;
      const response = await fetch(url, {
        redirect: "manual",
        dispatcher: agent as Dispatcher,
        signal,
        method,
        headers: carried.headersFor(url, { ...preset, ...headers }),
        ...(body !== undefined && { body }),
      });
      answered = true;
      return response;
    };
    try {
      return await follow(address, { get, guard, limits, time, carried });
    } catch (error) {
      const failure = toFailure(error, { address, asked }, limits, time);
      throw answered ? failure : unanswered(failure);
    } finally {
      time.end();
      await agent.destroy().catch(() => undefined);
    }
  };
}

interface Route {
  readonly get: (url: URL) => Promise<Response>;
  readonly guard: AddressGuard;
  readonly limits: FetchLimits;
  readonly time: Deadline;
  readonly carried: CarriedSecrets;
}

/** When a request has taken too long, which may be put off. */
class Deadline {
  readonly #over = new AbortController();
  #current: AbortSignal | undefined;
  #allMs = 0;

  constructor(ms: number) {
    this.extend(ms);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** All of it together. */
  get ms(): number {
    return this.#allMs;
  }

  /** So long from now on, instead of what was left. */
  extend(ms: number): void {
    const time = AbortSignal.timeout(ms);
    this.#allMs += ms;
    this.#current = time;
    time.addEventListener("abort", () => {
      if (this.#current === time) this.#over.abort();
    });
  }

  end(): void {
    this.#current = undefined;
  }
}

async function follow(address: string, { get, guard, limits, time, carried }: Route): Promise<Fetched> {
  const { maxBytes, request, mayVisit, take } = limits;
  const isRepeatable = request === undefined || ["GET", "HEAD"].includes(request.method);
  let url = await checkedUrl(address, undefined, { guard, mayVisit });
  for (let number = 0; number <= mostRedirects; number += 1) {
    const response = await get(url);
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null || !isRepeatable) {
      const contentType = carried.text(response.headers.get("content-type") ?? "");
      const answer = { url: url.href, status: response.status, contentType };
      const content = carried.body(response);
      const taken = content === null ? undefined : take?.content(answer, content, (text) => carried.text(text));
      if (taken === undefined) return { ...answer, ...(await readBounded(content, maxBytes)) };
      time.extend(take?.timeoutMs ?? 0);
      await taken;
      return { ...answer, bytes: new Uint8Array(), isCut: false };
    }
    await response.body?.cancel();
    url = await checkedUrl(carried.location(location), url, { guard, mayVisit });
  }
  throw new GatewayError(`${address} redirects more than ${mostRedirects} times`, { code: "unavailable" });
}

async function checkedUrl(
  text: string,
  base: URL | undefined,
  { guard, mayVisit }: { readonly guard: AddressGuard; readonly mayVisit: FetchLimits["mayVisit"] | undefined },
): Promise<URL> {
  const url = webAddress(text, base);
  url.hash = "";
  if (mayVisit?.(url) === false) {
    throw new GatewayError(`${url.href.slice(0, 200)} is none of the addresses that may be asked for`, {
      code: "forbidden",
      effect: "none",
    });
  }
  await guard.check(url.hostname);
  return url;
}

/** `asked`: what was asked for last, which a redirect may have named. */
function toFailure(
  error: unknown,
  { address, asked }: { readonly address: string; readonly asked: URL | undefined },
  { signal }: FetchLimits,
  time: Deadline,
): GatewayError {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1) {
    if (isGatewayError(one)) return one;
  }
  const host = URL.parse(address)?.host ?? "the address";
  const where =
    asked === undefined || asked.host === host ? host : `${host} redirects to ${asked.host.slice(0, 260)}, which`;
  if (signal.aborted)
    return new GatewayError("the request was stopped", { code: "aborted", effect: "none", cause: error });
  const why = time.signal.aborted
    ? `did not answer whole within ${time.ms / 1_000} s`
    : `could not be fetched: ${reasonOf(error)}`;
  return new GatewayError(`${where} ${why}`, { code: "unavailable", effect: "none", cause: error });
}

/** Its words are ours and the caller's. */
function unanswered({ message, code, effect, details, cause }: GatewayError): GatewayError {
  return new GatewayError(message, { code, effect, cause, details: { ...details, answered: false } });
}

function reasonOf(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = root instanceof Error && "code" in root ? root.code : undefined;
  return typeof code === "string" && code !== "" ? code : "the connection failed";
}
