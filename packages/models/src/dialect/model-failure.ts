import type { ModelFailure, ModelFailureKind } from "@talaria/agent";
import { contextRefusal, isAboutRates } from "./context-words.ts";

const longestMessageChars = 300;
/** The `type` of our own error about an answer without an end. */
export const runaway = "talaria_runaway";

/** The first rule that fits decides. `words`: what a server writes into `code`, `type` and `status`, in lower case. */
const rules: readonly {
  readonly kind: ModelFailureKind;
  readonly words: RegExp;
  readonly statuses: readonly number[];
}[] = [
  { kind: "runaway", words: new RegExp(runaway), statuses: [] },
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
    words: /overloaded|unavailable|timeout|capacity_exceeded/,
    statuses: [408, 409, 424, 503, 529],
  },
  { kind: "server_error", words: /server_error|internalserver|modelstreamerror/, statuses: [] },
];

/** The same for what servers only say in words, where no code and no status decided. Lower case. */
const spoken: readonly { readonly kind: ModelFailureKind; readonly words: RegExp; readonly also400?: true }[] = [
  {
    kind: "quota",
    words:
      /insufficient[ _](balance|credit|quota|funds)|(credit )?balance is too low|exceeded your current quota|arrearage|not enough credits/,
    also400: true,
  },
  {
    kind: "auth",
    words:
      /(invalid|incorrect|missing|expired|wrong)[^.]{0,20}(api[ _-]?key|credential)|unauthori[sz]ed|authentication fail/,
    also400: true,
  },
  { kind: "not_found", words: /\bmodel\b[^.]{0,60}(not found|not exist|unknown)|no such model/, also400: true },
  { kind: "rate_limit", words: /rate[ _-]?limit|too many requests|throttl|\bper minute\b/, also400: true },
  {
    kind: "overloaded",
    words: /overload|at capacity|unavailable|try again later|server (is )?busy|timed? ?out/,
  },
  { kind: "server_error", words: /internal (server )?error/ },
  { kind: "bad_request", words: /invalid|unsupported|not supported|required|malformed/ },
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
  /** All that the server said, in whatever shape. */
  readonly said: string;
}

export interface FailureFacts {
  readonly visible: boolean;
  /** Texts that never appear in the message. */
  readonly secrets: readonly string[];
  /** In milliseconds since 1970: turns a date in `retry-after` into a pause. */
  readonly now: number;
  /** What the server said in place of an answer, where its package may have lost it. */
  readonly said?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Says what kind of failure an error of one of the packages is. */
export function toModelFailure(error: unknown, facts: FailureFacts): ModelFailure {
  const shape = shapeOf(error, facts);
  const full = fullOf(shape, facts);
  const kind = full === undefined ? kindOf(shape) : "context_full";
  const retryAfterMs = (shape.headers && retryAfterOf(shape.headers, facts.now)) ?? shape.retryMs;
  return {
    kind,
    message: describe(kind, shape, facts.secrets),
    visible: facts.visible,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...full,
  };
}

function shapeOf(thrown: unknown, { said = "" }: FailureFacts): ErrorShape {
  if (!(thrown instanceof Error))
    return { message: String(thrown), code: undefined, words: "", isFromServer: false, said };
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
    message: messageOf(thrown, apiMessage, said),
    // The packages may quote a whole body, and some bodies quote the request.
    said: said === "" ? thrown.message : said,
    headers: headersOf(headers ?? responseHeaders),
    retryMs: retryDelayIn(told?.details),
    isFromServer: (error !== undefined && error !== null) || (data !== undefined && data !== null),
  };
}

/** The packages find no message in shapes that are not their provider's. */
function messageOf({ message }: Error, apiMessage: unknown, said: string): string {
  if (typeof apiMessage === "string") return apiMessage;
  return said !== "" && /\(no body\)|\[object Object\]/.test(message) ? said : message;
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

/** Statuses that say something else, whatever the words are. */
const notAboutLength: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 409, 424, 429, 503, 529]);
/** It refuses what is too long with nothing but a status: https://inference-docs.cerebras.ai/support/error. */
const refusesInSilence = /(^|\.)cerebras\.ai$/;

/** Nothing, unless the request is too long for the model; then its window, where the server names it. */
function fullOf(shape: ErrorShape, { baseUrl, said }: FailureFacts): { readonly windowTokens?: number } | undefined {
  const status = statusOf(shape);
  if (!shape.isFromServer && status === undefined && said === undefined) return undefined;
  if (status !== undefined && notAboutLength.has(status)) return undefined;
  if (status === 413 && isAboutRates(`${shape.said} ${shape.words}`)) return undefined;
  const refusal = contextRefusal(`${shape.words} ${shape.said}`);
  if (refusal !== undefined || status === 413) return refusal ?? {};
  const isEmpty = status === 400 && /\(no body\)$/.test(shape.message);
  return isEmpty && baseUrl !== undefined && refusesInSilence.test(new URL(baseUrl).hostname) ? {} : undefined;
}

function statusOf({ status, code }: ErrorShape): number | undefined {
  return status ?? (Number(code) || undefined);
}

function kindOf(shape: ErrorShape): ModelFailureKind {
  const { words, isFromServer, said } = shape;
  const status = statusOf(shape);
  if (status === 413 && isAboutRates(`${said} ${words}`)) return "rate_limit";
  const rule = rules.find((each) => each.words.test(words) || (status !== undefined && each.statuses.includes(status)));
  const heard = said.toLowerCase();
  const isBare = status === undefined || status < 300;
  // OpenAI calls both so in the middle of a stream.
  if (rule?.kind === "server_error" && isBare && /overload/.test(heard)) return "overloaded";
  if (rule !== undefined) return rule.kind;
  const spokenAs = (rows: typeof spoken) => rows.find((each) => each.words.test(heard))?.kind;
  if (isBare ? isFromServer : status === 400) {
    const kind = spokenAs(spoken.filter(({ also400 }) => also400));
    if (kind !== undefined) return kind;
  }
  if (!isBare) return status >= 500 ? "server_error" : status >= 400 ? "bad_request" : "network";
  if (!isFromServer) return "network";
  return ourMistake.test(words) ? "bad_request" : (spokenAs(spoken) ?? "server_error");
}

/** Codes of an error inside the stream. What is not clearly our own mistake is taken as the server's trouble. */
const ourMistake = /invalid_request|invalid_argument|validationexception|invalid_prompt/;

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
