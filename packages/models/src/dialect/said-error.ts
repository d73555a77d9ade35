/** What a server said in place of an answer, or in the middle of one. Classified by `toModelFailure`. */
class SaidError extends Error {
  readonly code: unknown;
  readonly type: unknown;
  /** The error as the server wrote it; marks it as said by the server, as in the errors of the packages. */
  readonly error: unknown;

  constructor(message: string, { code, type, error }: Pick<SaidError, "code" | "type" | "error">) {
    super(message);
    this.code = code;
    this.type = type;
    this.error = error;
  }
}

/** MiniMax answers 200 with a code of its own: https://platform.minimax.io/docs/api-reference/errorcode */
const miniMaxTypes: Readonly<Record<number, string>> = {
  1001: "timeout",
  1002: "rate_limit",
  1004: "authentication",
  1008: "insufficient_quota",
  1013: "server_error",
  1026: "content_filter",
  1027: "content_filter",
  1039: "context_length",
  2013: "invalid_request",
  2049: "invalid_api_key",
};

interface Said {
  readonly message?: unknown;
  readonly msg?: unknown;
  readonly detail?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly error?: unknown;
  readonly base_resp?: { readonly status_code?: unknown; readonly status_msg?: unknown } | null;
}

/**
 * The error in an answer that is no stream; undefined when it is none. A page, such as that of a login or of a console, means
 * that the address is wrong.
 */
export function toSaidError(text: string): Error | undefined {
  const body = parsed(text);
  // Google's errors come in a list where a stream was asked for.
  const value = Array.isArray(body) ? body[0] : body;
  if (value === undefined || value === null || typeof value !== "object")
    return new SaidError(`the server answered with something else than a stream: ${text.slice(0, 200)}`, {
      code: undefined,
      type: text.startsWith("<") ? "model_not_found" : "server_error",
      error: true,
    });
  const error = errorIn(value);
  if (error !== undefined) return error;
  return "choices" in value || "output" in value || "content" in value ? undefined : sayAll(value, text);
}

/**
 * The error in a chunk of a stream, or in an answer of the same form; undefined when it holds none. vLLM sends one as a chunk of its
 * own (`object: "error"`), others a code and a message.
 */
export function errorIn(chunk: unknown): Error | undefined {
  const { error, base_resp: told } = (chunk ?? {}) as Said;
  const status = Number(told?.status_code ?? 0);
  if (status !== 0)
    return new SaidError(`${told?.status_msg} (${status})`, {
      code: undefined,
      type: miniMaxTypes[status] ?? "server_error",
      error: told,
    });
  if (error === undefined || error === null || error === false || error === "")
    return isErrorItself(chunk) ? sayAll(chunk, JSON.stringify(chunk)) : undefined;
  if (typeof error !== "object") return new SaidError(String(error), { code: undefined, type: undefined, error: true });
  // An error that repeats the envelope, as proxies send it.
  const said = (typeof (error as Said).error === "object" ? ((error as Said).error ?? error) : error) as Said;
  return sayAll(said, JSON.stringify(error));
}

function isErrorItself(chunk: unknown): chunk is Said {
  const { object, type, message, code, choices } = (chunk ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message !== "string" || (type !== undefined && object !== "error") || choices !== undefined) return false;
  return object === "error" || code !== undefined;
}

function sayAll(said: Said, text: string): SaidError {
  const words = [said.message, said.msg, said.detail].find((each) => typeof each === "string" && each !== "");
  return new SaidError(String(words ?? text), { code: said.code, type: said.type, error: said });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
