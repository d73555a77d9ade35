import type { WebhookRoute } from "@talaria/adapter";

export interface RouteMatch {
  readonly route: WebhookRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** The path exists, for other methods. */
export interface WrongMethod {
  readonly allowed: readonly string[];
}

/** The routes of all adapters. Changes while the server runs, as accounts come and go. */
export class RouteTable {
  readonly #routes = new Map<string, readonly WebhookRoute[]>();
  readonly #expected: WebhookRoute[] = [];

  /** Announces routes that are served while this gateway holds their account: perhaps later, perhaps another gateway holds it now. */
  expect(routes: readonly WebhookRoute[]): void {
    this.#expected.push(...routes);
  }

  /** Whether the path is announced but not served here now. */
  isExpected(path: string): boolean {
    return !isAmbiguous(path) && this.#expected.some((route) => matchPath(route.path, path) !== undefined);
  }

  /** Replaces what `owner` serves. */
  set(owner: string, routes: readonly WebhookRoute[]): void {
    this.#routes.set(owner, routes);
  }

  delete(owner: string): void {
    this.#routes.delete(owner);
  }

  /** `path` is the raw path of the request line, without the query. Escaped separators and dots never match. */
  match(method: string, path: string): RouteMatch | WrongMethod | undefined {
    if (isAmbiguous(path)) return undefined;
    const allowed: string[] = [];
    for (const route of [...this.#routes.values()].flat()) {
      const params = matchPath(route.path, path);
      if (params === undefined) continue;
      if (route.method === method) return { route, params };
      allowed.push(route.method);
    }
    return allowed.length === 0 ? undefined : { allowed };
  }
}

/** Escaped separators and dots: a proxy may have read the path differently. */
function isAmbiguous(path: string): boolean {
  return /%2f|%5c|%2e|\\|\/\/|;/i.test(path);
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = decodeSegment(given[index] ?? "");
    if (value === undefined) return undefined;
    if (!segment.startsWith(":")) {
      if (segment !== value) return undefined;
    } else if (value === "") return undefined;
    else params[segment.slice(1)] = value;
  }
  return params;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
