import type { TalariaConfig } from "@talaria/config";

const shortMs = 5 * 60_000;
const longMs = 60 * 60_000;

/** How long providers may keep what they have read, at most: where nothing is configured, no longer than an hour. */
export function cacheMsOf(models: TalariaConfig["models"]): number {
  return Object.values(models).every(({ cacheSpan }) => cacheSpan === "5m") ? shortMs : longMs;
}
