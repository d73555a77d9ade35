import { canonicalDomain } from "./addresses.ts";
import { statementsOf, unquoted } from "./structured-field.ts";

export interface MethodResult {
  /** In lower case: `dkim`, `spf`, `dmarc`, ... */
  readonly method: string;
  readonly result: string;
  /** Values as they are written, by name in lower case: `header.d`, `smtp.mailfrom`. They describe this method only. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface AuthenticationResults {
  /** In lower case. */
  readonly authservId: string;
  readonly methods: readonly MethodResult[];
}

/** Reads an Authentication-Results field, RFC 8601 section 2.2. Undefined for a field that does not follow it: nothing is guessed. */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  const [head = [], ...statements] = statementsOf(value) ?? [];
  const [id, version = "1", ...rest] = head;
  if (id === undefined || version !== "1" || rest.length > 0) return undefined;
  const methods: MethodResult[] = [];
  for (const words of statements) {
    if (words.length === 0 || (words.length === 1 && words[0]?.toLowerCase() === "none")) continue;
    const read = methodResult(words);
    if (read === undefined) return undefined;
    if (read !== "other version") methods.push(read);
  }
  return { authservId: unquoted(id).toLowerCase(), methods };
}

/**
 * The domain that a property names: the value is a domain, an address, or either as one quoted string. The local part may
 * be quoted and then hold anything, `@` included. Undefined for everything else.
 */
export function domainIn(value: string): string | undefined {
  const [, domain = ""] = domainOrAddress.exec(unquoted(value)) ?? [];
  return canonicalDomain(domain);
}

const domainOrAddress = /^(?:(?:"(?:\\[\s\S]|[^"\\])*"|[^\s"@\\]*)@)?([^\s"@\\]+)$/;

function methodResult([first = "", ...words]: readonly string[]): MethodResult | "other version" | undefined {
  const [, method, version = "1", result] = /^([a-z][a-z0-9-]*)(?:\/(\d+))?=([a-z]+)$/i.exec(first) ?? [];
  if (method === undefined || result === undefined) return undefined;
  const properties = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf("=");
    const name = word.slice(0, equals).toLowerCase();
    if (equals < 1 || !/^[a-z][a-z0-9._-]*$/.test(name) || properties.has(name)) return undefined;
    properties.set(name, word.slice(equals + 1));
  }
  return version === "1" ? { method: method.toLowerCase(), result: result.toLowerCase(), properties } : "other version";
}
