import type { ModelFailure, ModelFailureKind } from "@talaria/agent";

const longestMessageChars = 300;

/** The first rule that fits decides. `words`: what a server writes into `code` and `type`. */
const rules: readonly {
  readonly kind: ModelFailureKind;
  readonly words: RegExp;
  readonly statuses: readonly number[];
}[] = [
  { kind: "quota", words: /insufficient_quota|insufficient_credits|billing/, statuses: [402] },
  { kind: "context_full", words: /context_length|context_window/, statuses: [413] },
  { kind: "refusal", words: /content_filter|content_policy/, statuses: [] },
  { kind: "auth", words: /invalid_api_key|authentication|permission/, statuses: [401, 403] },
  { kind: "not_found", words: /model_not_found/, statuses: [404] },
  { kind: "rate_limit", words: /rate_limit/, statuses: [429] },
  { kind: "overloaded", words: /overloaded|server_error|unavailable|timeout/, statuses: [408, 409] },
];

/** What the openai package's errors have in common; in the middle of a stream there is no status. */
interface ApiErrorShape {
  readonly status?: number | undefined;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly message: string;
  readonly headers?: Headers | undefined;
}

/**
 * Says what kind of failure an error of the openai package is. `secrets` never appear in its message. `now` in
 * milliseconds since 1970 turns a date in `retry-after` into a pause.
 */
export function toModelFailure(
  error: unknown,
  facts: { readonly visible: boolean; readonly secrets: readonly string[]; readonly now: number },
): ModelFailure {
  const shape = shapeOf(error);
  const kind = kindOf(shape, error);
  const retryAfterMs = shape.headers && retryAfterOf(shape.headers, facts.now);
  return {
    kind,
    message: describe(kind, shape, facts.secrets),
    visible: facts.visible,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function shapeOf(error: unknown): ApiErrorShape {
  if (!(error instanceof Error)) return { message: String(error) };
  const { status, code, type, headers } = error as Error & Partial<ApiErrorShape>;
  return { status, code, type, headers, message: error.message };
}

function kindOf(shape: ApiErrorShape, error: unknown): ModelFailureKind {
  const words = `${String(shape.code ?? "")} ${String(shape.type ?? "")}`.toLowerCase();
  const status = shape.status ?? (Number(shape.code) || undefined);
  if (isAboutContext(shape.message, status)) return "context_full";
  const rule = rules.find((each) => each.words.test(words) || (status !== undefined && each.statuses.includes(status)));
  if (rule !== undefined) return rule.kind;
  if (status !== undefined) return status >= 500 ? "overloaded" : "bad_request";
  return isFromServer(error) ? midStreamKind(words) : "network";
}

/** Compatible servers say it in words only. */
function isAboutContext(message: string, status: number | undefined): boolean {
  return (
    (status === undefined || status === 400 || status === 422) &&
    /context (length|window|size)|maximum context|prompt is too long|too many tokens|input is too long/i.test(message)
  );
}

/** An error object inside the stream. What is not clearly our own mistake is taken as the server's trouble. */
function midStreamKind(words: string): ModelFailureKind {
  return /invalid_request/.test(words) ? "bad_request" : "overloaded";
}

function isFromServer(error: unknown): boolean {
  return error instanceof Error && "error" in error && error.error !== undefined && error.error !== null;
}

function retryAfterOf(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  const pauseMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now;
  return Number.isFinite(pauseMs) ? Math.max(0, pauseMs) : undefined;
}

/** A sentence for operators. An answer about credentials is not repeated, since servers like to quote the key in it. */
function describe(kind: ModelFailureKind, shape: ApiErrorShape, secrets: readonly string[]): string {
  const status = shape.status === undefined ? "" : ` with status ${shape.status}`;
  const code = typeof shape.code === "string" ? ` (${shape.code})` : "";
  const opening = kind === "network" ? "the connection to the provider failed" : `the provider failed${status}${code}`;
  if (kind === "auth") return withoutSecrets(opening, secrets);
  return withoutSecrets(`${opening}: ${shape.message}`, secrets).slice(0, longestMessageChars);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((result, secret) => result.replaceAll(secret, "[secret]"), text)
    .replace(/\b(sk-|Bearer )[\w.*-]{6,}/g, "[secret]");
}
