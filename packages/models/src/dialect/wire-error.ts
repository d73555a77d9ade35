/** Where servers put what went wrong. Not `input`, in which some repeat the request. */
const told = [
  "error",
  "message",
  "detail",
  "msg",
  "code",
  "type",
  "status",
  "reason",
  "metadata",
  "raw",
  "errors",
  "error_msg",
  "base_resp",
  "status_msg",
];
const deepest = 8;
const mostSaidChars = 4_000;

/**
 * What a body says that is not an answer, of whatever shape: OpenAI's `error`, FastAPI's `detail`, a bare `message`, the
 * provider's own words behind a gateway (`metadata.raw` of OpenRouter). `isOk`: the status promised an answer, so it is one unless
 * it says that it failed.
 */
export function saidIn(text: string, isOk: boolean): string | undefined {
  const body = parsed(text);
  if (body === undefined) return isOk ? undefined : text.slice(0, mostSaidChars);
  if (isOk && !isFailure(body)) return undefined;
  return textsIn(body, 0).join(" ").slice(0, mostSaidChars);
}

/** MiniMax refuses with 200 and `base_resp`, others with `error`, or with a code and a message and nothing else. */
function isFailure(body: object): boolean {
  const { error, base_resp: base, code, message, choices, output, content } = body as Readonly<Record<string, unknown>>;
  if (choices !== undefined || output !== undefined || content !== undefined) return false;
  if (error !== undefined && error !== null) return true;
  const status = (base as { readonly status_code?: unknown } | null | undefined)?.status_code;
  return (typeof status === "number" && status !== 0) || (code !== undefined && typeof message === "string");
}

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") {
    const inner = depth < deepest && value.startsWith("{") ? parsed(value) : undefined;
    return inner === undefined ? [value] : textsIn(inner, depth + 1);
  }
  if (typeof value === "number") return [String(value)];
  if (value === null || typeof value !== "object" || depth >= deepest) return [];
  if (Array.isArray(value)) return value.slice(0, 10).flatMap((each) => textsIn(each, depth + 1));
  const fields = value as Readonly<Record<string, unknown>>;
  const window = typeof fields.n_ctx === "number" ? [`n_ctx ${fields.n_ctx}`] : [];
  return [...told.flatMap((key) => textsIn(fields[key], depth + 1)), ...window];
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
