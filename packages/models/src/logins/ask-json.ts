import { LoginFailure } from "./login-failure.ts";

const mostBytes = 1_024 * 1_024;
const limitMs = 30_000;

export interface JsonAnswer {
  readonly status: number;
  /** Empty when the answer is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One short question to a service that gives tokens. Throws a `LoginFailure` when it cannot be reached. Follows no redirect. */
export async function askJson(url: URL, init: RequestInit, signal: AbortSignal): Promise<JsonAnswer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: limited });
    return { status: response.status, body: objectIn(await textOf(response)) };
  } catch (error) {
    if (signal.aborted) throw new LoginFailure("the answer was stopped", { kind: "aborted", cause: error });
    if (error instanceof LoginFailure) throw error;
    throw new LoginFailure(`${url.host} cannot be reached for a token`, { kind: "network", cause: error });
  }
}

/** A form, as RFC 6749 wants it at a token endpoint. */
export function form(fields: Readonly<Record<string, string>>): RequestInit {
  return { method: "POST", body: new URLSearchParams(fields), headers: { accept: "application/json" } };
}

/** What went wrong, in the service's own word where it is one: texts of its own may quote what was sent. */
export function errorCode({ status, body }: JsonAnswer): string {
  const { error } = body;
  const told = typeof error === "object" && error !== null ? (error as { readonly code?: unknown }).code : error;
  return typeof told === "string" && /^[A-Za-z0-9_.:-]{1,64}$/.test(told) ? told : `status ${status}`;
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes)
      throw new LoginFailure("the answer of a service that gives tokens is above 1 MiB", { kind: "network" });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
