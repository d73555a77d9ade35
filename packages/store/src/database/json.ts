/**
 * Returns JSON that PostgreSQL accepts. U+0000 and lone surrogates, which it rejects, become U+FFFD; everything else
 * stays byte for byte.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  return suspicious.test(json) ? json.replace(escapes, (found) => (refused.test(found) ? "\uFFFD" : found)) : json;
}

/** Does the same for a text that is a value of its own. */
export function toText(value: string): string {
  return value.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** JSON.stringify writes whole surrogate pairs as characters, so an escaped surrogate is always a lone one. */
const suspicious = /\\u(?:0000|d[89a-f])/;
/** Whole escapes, so that an escaped backslash before `u0000` is not mistaken for one. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/g;
const refused = /^\\u(?:0000|d[89a-f][0-9a-f]{2})$/;
