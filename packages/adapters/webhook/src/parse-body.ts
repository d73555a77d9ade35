import { GatewayError } from "@talaria/protocol";

const maxDepth = 100;
/** Members, elements, objects and arrays together. A million bytes of nothing else would cost a tenth of a second. */
const maxValues = 50_000;

/**
 * The body as JSON, as the fields of a form, or as text when the sender does not call it JSON and it is none. A form
 * with a field `payload`, as GitHub sends it, stands for the JSON in it. Throws `invalid_request` for what is compressed
 * or not UTF-8, and for JSON that is broken, nested deeper than 100, has more than 50,000 values, or names a key twice.
 */
export function parseBody(body: Uint8Array, headers: Headers): unknown {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw refused("the body is compressed: send it as it is");
  const text = decode(body);
  const contentType = headers.get("content-type") ?? "";
  if (/\bjson\b/i.test(contentType)) return parseJson(text);
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return parseForm(text);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (error) {
    throw refused("the body is not valid UTF-8", error);
  }
}

function parseJson(text: string): unknown {
  const { depth, values, members } = outlineOf(text);
  if (depth > maxDepth) throw refused(`the body is nested deeper than ${maxDepth}`);
  if (values > maxValues) throw refused(`the body has more than ${maxValues} values`);
  const parsed = parseAny(text);
  if (countMembers(parsed) < members) throw refused("the body names a key twice");
  return parsed;
}

function parseAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused("the body is not valid JSON", error);
  }
}

function parseForm(text: string): unknown {
  if (text.split("&", maxValues + 1).length > maxValues) throw refused(`the body has more than ${maxValues} fields`);
  const fields = new URLSearchParams(text);
  const payload = fields.get("payload");
  return payload === null ? Object.fromEntries(fields) : parseJson(payload);
}

interface Outline {
  readonly depth: number;
  readonly values: number;
  readonly members: number;
}

/**
 * Counts brackets, commas and colons outside of strings: one cheap pass before anything that costs more sees the text. A list
 * of n elements has n - 1 commas, so brackets and commas together are at least as many as the values.
 */
function outlineOf(text: string): Outline {
  let depth = 0;
  let deepest = 0;
  let brackets = 0;
  let members = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "[":
      case "{":
        brackets += 1;
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case ":":
        members += 1;
        break;
      case ",":
        commas += 1;
        break;
      default:
    }
  }
  return { depth: deepest, values: brackets + commas, members };
}

/** Where the string that begins at `start` ends; the text's length when it does not. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Members of all objects. Fewer than the text has colons means that some were overwritten. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Object.hasOwn(value, "__proto__")) throw refused("the body has a key named __proto__");
  const inner = Object.values(value);
  return inner.reduce((count, one) => count + countMembers(one), Array.isArray(value) ? 0 : inner.length);
}

function refused(message: string, cause?: unknown): GatewayError {
  return new GatewayError(message, { code: "invalid_request", cause });
}
