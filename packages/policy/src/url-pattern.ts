import type { Target } from "@talaria/protocol";
import type { PatternReading } from "./pattern.ts";

/** The one reading of an address: that of the WHATWG standard, which Node's own clients use too. Undefined: not http or https. */
export function addressOf(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

/**
 * Reads `https://api.example.com/v1/*`, `https://*.example.com`, or a bare host, which means https. A star stands for one or more
 * whole labels at the front of a host, or for the rest of a path. Without a path, any path counts.
 */
export function readUrlPattern(text: string): PatternReading {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const [, scheme = "", star, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)(\*\.)?(.*)$/is.exec(whole) ?? [];
  if (rest.split(/[/?#]/, 1)[0]?.includes("*"))
    return { fault: "may have a star only as the whole first label of a host, as in `*.example.com`" };
  const isPrefix = rest.endsWith("*");
  const url = addressOf(scheme + (isPrefix ? rest.slice(0, -1) : rest));
  const fault = url === undefined ? "is no http or https address" : faultOf(rest, url, star !== undefined);
  if (url === undefined || fault !== undefined) return { fault: fault ?? "" };
  const path = isPrefix || url.pathname !== "/" || rest.endsWith("/") ? url.pathname : undefined;
  const fits = { url, isWide: star !== undefined, path, isPrefix };
  return {
    pattern: {
      text,
      kind: "url",
      weight: (star === undefined ? 1_000 : 0) + url.hostname.length + (path?.length ?? 0),
      matches: (target, isStrict) =>
        target.kind === "url" && (isStrict ? fitsExactly(target, fits) : fitsBroadly(target, fits)),
    },
  };
}

type UrlTarget = Extract<Target, { readonly kind: "url" }>;

interface Fits {
  readonly url: URL;
  readonly isWide: boolean;
  readonly path: string | undefined;
  readonly isPrefix: boolean;
}

function faultOf(rest: string, url: URL, isWide: boolean): string | undefined {
  const authority = rest.split(/[/?#]/, 1)[0] ?? "";
  if (rest.slice(0, -1).includes("*")) return "may have a star only at the end of a path";
  if (url.username !== "" || url.password !== "" || authority.includes("@")) return "must not name a user";
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(rest))
    return "must not have a query or a fragment: any query counts";
  if (isWide && !/^[^.]+\.[^.]/.test(url.hostname))
    return "is too wide: a star needs at least a domain and its ending behind it";
  if (isWide && /^[\d.]+$|^\[/.test(url.hostname)) return "may have no star before an IP address";
  return undefined;
}

/** For what a rule allows: nothing in the address may be read in two ways. */
function fitsExactly({ url: text, host }: UrlTarget, { url, isWide, path, isPrefix }: Fits): boolean {
  const given = addressOf(text);
  if (given === undefined || given.protocol !== url.protocol || given.port !== url.port) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those that readers of addresses treat differently
  if (/[\\\u0000-\u0020\u007f-\u00a0]/.test(text)) return false;
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(text)?.[1];
  if (authority === undefined || authority.includes("@")) return false;
  if (!fitsHost(given.hostname, url.hostname, isWide)) return false;
  if (path === undefined) return true;
  // A command that may reach a host reaches all of it.
  if (host !== undefined) return isPrefix && path === "/";
  if (/%(?:2f|5c|2e|00|25)/i.test(given.pathname)) return false;
  return isPrefix ? given.pathname.startsWith(path) : given.pathname === path;
}

/** For what a rule denies or asks about: every way to say the address counts, and any port unless one is named. */
function fitsBroadly({ url: text, host }: UrlTarget, { url, isWide, path, isPrefix }: Fits): boolean {
  const given = addressOf(text);
  if (given === undefined) return false;
  // Whoever names a host without a port means port 80 as well.
  const isWeb = host !== undefined && !host.includes(":") && url.port === "80";
  if (url.port !== "" && given.port !== url.port && !isWeb) return false;
  if (!fitsHost(given.hostname.replace(/\.$/, ""), url.hostname, isWide)) return false;
  if (path === undefined || host !== undefined) return true;
  const [own, wanted] = [plainPath(given.pathname), plainPath(path)];
  return isPrefix ? own.startsWith(wanted) : own === wanted;
}

function fitsHost(host: string, wanted: string, isWide: boolean): boolean {
  return isWide ? host.endsWith(`.${wanted}`) : host === wanted;
}

/** Escapes resolved twice, doubled slashes and letter case gone: as the most generous server would read it. */
function plainPath(path: string): string {
  const once = unescaped(unescaped(path)).replaceAll("\\", "/").toLowerCase();
  return URL.canParse(once, "http://x") ? new URL(once.replace(/\/{2,}/g, "/"), "http://x").pathname : once;
}

function unescaped(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
