import type { Tool } from "@talaria/agent";
import type { SecretHandle } from "../secrets/secret-handle.ts";
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

/** The public web, to read. `secrets`: those of whoever has the tools. */
export function createWebTools(
  { fetch = createGuardedFetch(), search }: WebPowers,
  secrets: readonly SecretHandle[] = [],
): readonly Tool[] {
  const reading = [createWebExtract(fetch), createWebFetch(fetch, secrets)];
  return search === undefined ? reading : [...reading, createWebSearch(search)];
}
