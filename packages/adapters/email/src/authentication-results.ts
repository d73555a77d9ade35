export interface MethodResult {
  /** In small letters: `dkim`, `spf`, `dmarc`, ... */
  readonly method: string;
  readonly result: string;
  /** By name in small letters: `header.d`, `smtp.mailfrom`. They say something about this method only. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface AuthenticationResults {
  /** In small letters. */
  readonly authservId: string;
  readonly methods: readonly MethodResult[];
}

/** Reads an Authentication-Results field, RFC 8601 section 2.2. Undefined for what does not follow it: nothing is guessed. */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  const plain = withoutComments(value);
  const [head, ...parts] = plain === undefined ? [] : split(plain, /;/);
  if (head === undefined) return undefined;
  const [id, version = "1", ...rest] = split(head.trim(), /\s/).filter((word) => word !== "");
  if (id === undefined || version !== "1" || rest.length > 0) return undefined;
  const methods: MethodResult[] = [];
  for (const part of parts.map((text) => text.trim())) {
    if (part === "" || part.toLowerCase() === "none") continue;
    const read = methodResult(part);
    if (read === undefined) return undefined;
    if (read !== "other version") methods.push(read);
  }
  return { authservId: unquoted(id).toLowerCase(), methods };
}

function methodResult(text: string): MethodResult | "other version" | undefined {
  const [first = "", ...words] = split(text.replace(/\s*=\s*/g, "="), /\s/).filter((word) => word !== "");
  const [, method, version = "1", result] = /^([a-z][a-z0-9-]*)(?:\/(\d+))?=([a-z]+)$/i.exec(first) ?? [];
  if (method === undefined || result === undefined) return undefined;
  const properties = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf("=");
    const name = word.slice(0, equals).toLowerCase();
    if (equals < 1 || !/^[a-z][a-z0-9._-]*$/.test(name) || properties.has(name)) return undefined;
    properties.set(name, unquoted(word.slice(equals + 1)));
  }
  return version === "1" ? { method: method.toLowerCase(), result: result.toLowerCase(), properties } : "other version";
}

/** Comments nest, and hide nothing inside quotes. Undefined when one does not end. */
function withoutComments(text: string): string | undefined {
  let plain = "";
  let depth = 0;
  // Quoted strings outside comments, escapes, and single letters.
  for (let rest = text; rest !== ""; ) {
    const quoted = depth === 0 ? /^"(?:\\[\s\S]|[^"\\])*"/.exec(rest)?.[0] : undefined;
    const piece = quoted ?? /^(?:\\[\s\S]|[^()"\\]+|[\s\S])/.exec(rest)?.[0] ?? rest;
    rest = rest.slice(piece.length);
    if (piece === '"' && depth === 0) return undefined;
    if (piece === "(") depth += 1;
    else if (piece === ")") depth -= 1;
    else if (depth === 0) plain += piece;
    if (depth < 0) return undefined;
    if (piece === ")") plain += " ";
  }
  return depth === 0 ? plain : undefined;
}

/** Splits outside quotes. */
function split(text: string, separator: RegExp): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/"(?:\\[\s\S]|[^"\\])*"|[\s\S]/g)) {
    if (piece.length === 1 && separator.test(piece)) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\([\s\S])/g, "$1") : text;
}
