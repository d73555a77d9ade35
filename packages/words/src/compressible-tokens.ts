import type { StoredContext } from "@talaria/store";

/** What no summary stands for yet. */
export function compressibleTokens({ parts }: StoredContext): number {
  return parts.words + parts.answers + parts.results;
}
