/**
 * What somebody typed as the address of a server, as the addresses that may be meant, most likely first: with and without `/v1`.
 * `localhost:8000`, a slash at the end, and the whole address of a call are taken as well. Empty when it is no address.
 */
export function addressesMeant(typed: string): readonly string[] {
  const text = typed.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${schemeFor(text)}${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return [];
  url.hash = "";
  url.search = "";
  const path = url.pathname.replace(/\/(chat\/completions|responses|messages|models)\/*$/, "").replace(/\/+$/, "");
  const at = (end: string) => `${url.origin}${end}`;
  if (path.endsWith("/v1")) return [at(path), at(path.slice(0, -"/v1".length))];
  return [at(path), at(`${path}/v1`)];
}

/** A key goes to another machine encrypted. */
function schemeFor(text: string): string {
  return /^(localhost|127\.|10\.|192\.168\.|\[::1\])/i.test(text) ? "http://" : "https://";
}
