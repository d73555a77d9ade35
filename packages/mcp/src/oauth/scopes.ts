const mostScopes = 50;

/** RFC 6749, 3.3: scopes with blanks between them, each once and in their order. What is no scope is left out. */
export function scopeUnion(...texts: readonly (string | undefined)[]): string | undefined {
  const scopes = new Set(texts.flatMap((text) => scopesIn(text)));
  return scopes.size === 0 ? undefined : [...scopes].slice(0, mostScopes).join(" ");
}

/** Whether all of `wanted` are among `asked`. */
export function hasScopes(asked: string | undefined, wanted: string | undefined): boolean {
  const known = new Set(scopesIn(asked));
  return scopesIn(wanted).every((scope) => known.has(scope));
}

function scopesIn(text = ""): readonly string[] {
  return text
    .slice(0, 10_000)
    .split(" ")
    .filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope));
}
