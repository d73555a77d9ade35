import type { ModelFailure, ModelFailureKind } from "@talaria/agent";

const longestMessageChars = 300;

/** The first rule that fits decides. `words`: what a server writes into `code`, `type` and `status`, in lower case. */
const rules: readonly {
  readonly kind: ModelFailureKind;
  readonly words: RegExp;
  readonly statuses: readonly number[];
}[] = [
  { kind: "quota", words: /insufficient_quota|insufficient_credits|billing|servicequotaexceeded/, statuses: [402] },
  { kind: "context_full", words: /context_length|context_window|request_too_large/, statuses: [413] },
  { kind: "refusal", words: /content_filter|content_policy|bio_policy|misalignment_policy/, statuses: [] },
  {
    kind: "auth",
    words: /invalid_api_key|api_key_invalid|authentication|unauthenticated|permission|accessdenied|unrecognizedclient/,
    statuses: [401, 403],
  },
  { kind: "not_found", words: /model_not_found|not_found_error|resourcenotfound/, statuses: [404] },
  { kind: "rate_limit", words: /rate_limit|resource_exhausted|throttling|modelnotready/, statuses: [429] },
  {
    kind: "overloaded",
    words: /overloaded|server_error|unavailable|timeout|internalserver|modelstreamerror/,
    statuses: [408, 409, 424],
  },
];

/** What a server reports inside a stream that its package hands on as data. */
export class WireError extends Error {
  readonly code: unknown;
  readonly type: unknown;
  readonly status: unknown;
  /** Marks it as said by the server, as the packages' own errors do. */
  readonly error = true;

  constructor(
    message: string,
    { code, type, status }: { readonly code?: unknown; readonly type?: unknown; readonly status?: unknown } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.type = type;
  }
}

/** What the packages' errors have in common; in the middle of a stream there is no status. */
interface ErrorShape {
  readonly status?: number | undefined;
  readonly code: unknown;
  readonly words: string;
  readonly message: string;
  readonly headers?: Headers | undefined;
  readonly retryMs?: number | undefined;
  readonly isFromServer: boolean;
}

/**
 * Says what kind of failure an error of one of the packages is. `secrets` never appear in its message. `now` in
 * milliseconds since 1970 turns a date in `retry-after` into a pause.
 */
export function toModelFailure(
  error: unknown,
  facts: { readonly visible: boolean; readonly secrets: readonly string[]; readonly now: number },
): ModelFailure {
  const shape = shapeOf(error);
  const kind = kindOf(shape);
  const retryAfterMs = (shape.headers && retryAfterOf(shape.headers, facts.now)) ?? shape.retryMs;
  return {
    kind,
    message: describe(kind, shape, facts.secrets),
    visible: facts.visible,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function shapeOf(thrown: unknown): ErrorShape {
  if (!(thrown instanceof Error)) return { message: String(thrown), code: undefined, words: "", isFromServer: false };
  // openai and @anthropic-ai/sdk say `status` and `headers`; the errors of @ai-sdk/provider `statusCode`,
  // `responseHeaders` and `data`.
  const { status, statusCode, code, type, headers, responseHeaders, data, error, value, apiMessage } = thrown as Error &
    Readonly<Record<string, unknown>>;
  // `value`: a chunk that the package does not know, such as an error in the middle.
  const told = bodyOf(data) ?? bodyOf(error) ?? bodyOf(value);
  const words = [code, type, told?.code, told?.type, told?.status, ...reasonsIn(told?.details)];
  return {
    status: numberOf(status) ?? numberOf(statusCode),
    code: typeof code === "string" ? code : (told?.status ?? told?.code ?? code),
    words: [...words, headerOf(responseHeaders, "x-amzn-errortype")]
      .map((word) => String(word ?? ""))
      .join(" ")
      .toLowerCase(),
    message: typeof apiMessage === "string" ? apiMessage : thrown.message,
    headers: headersOf(headers ?? responseHeaders),
    retryMs: retryDelayIn(told?.details),
    isFromServer: (error !== undefined && error !== null) || (data !== undefined && data !== null),
  };
}

interface ErrorBody {
  readonly code?: unknown;
  readonly type?: unknown;
  /** Google's name for the kind. */
  readonly status?: unknown;
  readonly details?: unknown;
}

/** The error object, bare or in an envelope. */
function bodyOf(value: unknown): ErrorBody | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const inner = (value as { readonly error?: unknown }).error;
  return inner !== null && typeof inner === "object" ? inner : value;
}

/** google.rpc.ErrorInfo: an invalid key is a 400 with the reason `API_KEY_INVALID`. */
function reasonsIn(details: unknown): readonly unknown[] {
  return Array.isArray(details) ? details.map((detail) => (detail as { reason?: unknown } | null)?.reason) : [];
}

/** google.rpc.RetryInfo: `{ "retryDelay": "17s" }`. */
function retryDelayIn(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const delays = details.map((detail) => /^([\d.]+)s$/.exec(String((detail as { retryDelay?: unknown })?.retryDelay)));
  const seconds = Number(delays.find((found) => found !== null)?.[1] ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

function kindOf({ status: given, code, words, message, isFromServer }: ErrorShape): ModelFailureKind {
  const status = given ?? (Number(code) || undefined);
  if (isAboutContext(message, status)) return "context_full";
  if (status === 400 && /credit balance is too low/i.test(message)) return "quota";
  const rule = rules.find((each) => each.words.test(words) || (status !== undefined && each.statuses.includes(status)));
  if (rule !== undefined) return rule.kind;
  if (status !== undefined) return status >= 500 ? "overloaded" : status >= 400 ? "bad_request" : "network";
  return isFromServer ? midStreamKind(words) : "network";
}

/** Compatible servers say it in words only. */
function isAboutContext(message: string, status: number | undefined): boolean {
  return (
    (status === undefined || status === 400 || status === 422) &&
    /context (length|window|size)|maximum context|prompt is too long|too many tokens|input is too long|input token count/i.test(
      message,
    )
  );
}

/** An error object inside the stream. What is not clearly our own mistake is taken as the server's trouble. */
function midStreamKind(words: string): ModelFailureKind {
  return /invalid_request|invalid_argument|validationexception|invalid_prompt/.test(words)
    ? "bad_request"
    : "overloaded";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function headersOf(value: unknown): Headers | undefined {
  if (value instanceof Headers) return value;
  return value !== null && typeof value === "object" ? new Headers(value as Record<string, string>) : undefined;
}

function headerOf(headers: unknown, name: string): unknown {
  return headersOf(headers)?.get(name);
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
function describe(kind: ModelFailureKind, shape: ErrorShape, secrets: readonly string[]): string {
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
