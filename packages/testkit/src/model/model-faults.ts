import { type ModelErrorBody, type ModelScript, say } from "./script.ts";

/** Answers that go wrong, each as real servers do it. */
export const modelFault = {
  /** @param retryAfter seconds for the `retry-after` header; undefined leaves it out */
  rateLimited: (retryAfter?: number): ModelScript =>
    refuse(
      429,
      { message: "Rate limit reached for requests", type: "requests", param: null, code: "rate_limit_exceeded" },
      retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
    ),
  /** Also 429, but waiting does not help: the account has no credit. */
  quotaExceeded: (): ModelScript =>
    refuse(429, {
      message: "You exceeded your current quota, please check your plan and billing details.",
      type: "insufficient_quota",
      param: null,
      code: "insufficient_quota",
    }),
  serverError: (status = 500): ModelScript =>
    refuse(status, {
      message: "The server had an error while processing your request.",
      type: "server_error",
      code: null,
    }),
  unauthorized: (): ModelScript =>
    refuse(401, { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" }),
  contextTooLong: (limit = 8_192): ModelScript =>
    refuse(400, {
      message: `This model's maximum context length is ${limit} tokens. Please reduce the length of the messages.`,
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    }),
  modelNotFound: (): ModelScript =>
    refuse(404, { message: "The model does not exist.", type: "invalid_request_error", code: "model_not_found" }),
  /** The page of a proxy instead of JSON. */
  badGatewayPage: (): ModelScript => [
    {
      kind: "status",
      status: 502,
      body: "<html><body>502 Bad Gateway</body></html>",
      headers: { "content-type": "text/html" },
    },
  ],

  /** Some words, then the stream ends without a finish reason. */
  cutAfter: (text: string, how: "end" | "reset" = "end"): ModelScript => [...say(text), { kind: "cut", how }],
  /** Some words, then an error object in the stream. */
  errorAfter: (text: string, error: Partial<ModelErrorBody> = {}): ModelScript => [
    ...say(text),
    { kind: "error", error: { message: "Overloaded", type: "server_error", code: 529, ...error } },
  ],
  /** Some words, then silence. */
  stallAfter: (text: string): ModelScript => [...say(text), { kind: "stall" }],
  /** Silence from the start, with the response headers sent. */
  silent: (): ModelScript => [{ kind: "stall" }],
  slowFirstChunk: (ms: number, text: string): ModelScript => [{ kind: "wait", ms }, ...say(text)],
  /** No words, no calls, finish reason `stop`. */
  empty: (): ModelScript => [],
  malformedLine: (text: string): ModelScript => [...say(text), { kind: "raw", line: 'data: {"choices":[{"delta":' }],
  /** A flood of words, in deltas of 1,000 characters, `characters` in all. */
  endless: (characters: number): ModelScript =>
    say("lorem ipsum ".repeat(Math.ceil(characters / 12)).slice(0, characters), {
      pieces: Math.ceil(characters / 1_000),
    }),
};

function refuse(status: number, error: ModelErrorBody, headers: Record<string, string> = {}): ModelScript {
  return [{ kind: "status", status, body: { error }, headers }];
}
