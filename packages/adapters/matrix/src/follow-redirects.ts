import { fetchPublic, type PublicRequest } from "@talaria/adapter-kit";
import { GatewayError } from "@talaria/protocol";

/** More hops than this are a loop, or meant to keep us busy. */
const maxHops = 5;

export interface Ways {
  /** Leads through a proxy, which then resolves names and decides where it connects to. */
  readonly isProxied?: boolean;
  /** How names of other hosts are resolved; only to public addresses unless told otherwise. */
  readonly lookup?: PublicRequest["lookup"];
}

/**
 * Asks for a file where the homeserver keeps it: media may be redirected to another host (specification 1.11). Every hop
 * has to be the homeserver's own origin, or https to a public name that resolves to public addresses, and only the first
 * origin is shown the token. Throws `forbidden` for other addresses and what `fetch` throws.
 */
export async function followRedirects(
  address: string,
  init: RequestInit & { readonly signal: AbortSignal },
  { isProxied = false, lookup }: Ways = {},
): Promise<Response> {
  const { origin } = new URL(address);
  const { signal, headers: _, ...route } = init;
  let url = new URL(address);
  for (let hops = 0; hops <= maxHops; hops += 1) {
    const response =
      url.origin === origin
        ? await fetch(url.href, { ...init, redirect: "manual" })
        : isProxied
          ? await fetch(url.href, { ...route, signal, redirect: "manual" })
          : await fetchPublic(url, { signal, ...(lookup && { lookup }) });
    const location = response.headers.get("location");
    if (!redirects.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url.href);
    if (next === null || (next.origin !== origin && !isPublic(next))) throw strange();
    url = next;
  }
  throw strange();
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An address by number leads to this machine or its neighbours; a file store has a name and a certificate. */
function isPublic({ protocol, hostname, port, username }: URL): boolean {
  const isNumber = /^[\d.]+$/.test(hostname) || hostname.startsWith("[");
  const isLocal = !hostname.includes(".") || /\.?(?:localhost|local|internal|lan|arpa)\.?$/.test(hostname);
  return protocol === "https:" && port === "" && username === "" && !isNumber && !isLocal;
}

function strange(): GatewayError {
  return new GatewayError("the homeserver redirects a file to an address that is not public https", {
    code: "forbidden",
    effect: "none",
  });
}
