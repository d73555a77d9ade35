import type { Tool } from "@talaria/agent";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";
import type { SearchProvider } from "./search-provider.ts";
import { createWebExtract } from "./web-extract.ts";
import { createWebFetch } from "./web-fetch.ts";
import { createWebSearch } from "./web-search.ts";

export interface WebPowers {
  /** Default: the public internet alone. */
  readonly fetch?: GuardedFetch;
  /** Without it there is no `web_search`. */
  readonly search?: SearchProvider;
}

/** The public web, to read. */
export function createWebTools({ fetch = createGuardedFetch(), search }: WebPowers): readonly Tool[] {
  const reading = [createWebExtract(fetch), createWebFetch(fetch)];
  return search === undefined ? reading : [...reading, createWebSearch(search)];
}
