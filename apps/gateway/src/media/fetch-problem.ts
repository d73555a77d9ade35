import { backoffMs, isGatewayError } from "@talaria/protocol";
import type { MediaLimits } from "@talaria/store";

/** What a failed attempt means: another one later, or a clause that people and the model read. */
export type FetchFailure =
  | { readonly kind: "again"; readonly waitMs: number }
  | { readonly kind: "given-up"; readonly problem: string };

const maxAttempts = 6;
const pause = { firstMs: 700, longestMs: 60_000 };

/** `attempts`: those that failed before this one. `random` from 0 up to 1. */
export function fetchFailure(
  error: unknown,
  attempts: number,
  limits: MediaLimits,
  random: () => number,
): FetchFailure {
  const problem = problemOf(error, limits);
  if (problem !== undefined) return { kind: "given-up", problem };
  if (attempts + 1 >= maxAttempts) return { kind: "given-up", problem: "the platform did not hand it out" };
  const asked = isGatewayError(error) ? error.retryAfterMs : undefined;
  const grown = backoffMs(attempts + 1, pause, random());
  return { kind: "again", waitMs: Math.min(10 * pause.longestMs, asked ?? grown) };
}

/** Undefined when the next attempt may succeed. */
function problemOf(error: unknown, limits: MediaLimits): string | undefined {
  if (!isGatewayError(error)) return undefined;
  switch (error.code) {
    case "too_large":
      return tooLargeText(error.details.reason, limits);
    case "not_found":
      return "the platform no longer has it";
    case "unauthorized":
    case "forbidden":
      return "the platform refused to hand it out";
    case "unsupported":
    case "invalid_request":
      return "files of this kind can't be fetched";
    case "rate_limited":
    case "unavailable":
    case "conflict":
    case "aborted":
    case "internal":
      return undefined;
    default:
      return error.code satisfies never;
  }
}

function tooLargeText(reason: unknown, { maxBytes, maxPixels }: MediaLimits): string {
  if (reason === "pixels") return `the picture has more than ${round(maxPixels / 1_000_000)} megapixels`;
  if (reason === "quota") return "there is no room left for files: the operator can raise media.quotaBytes";
  if (reason === "share") return "its sender has sent too much within an hour";
  if (reason === "bytes") return `it is larger than ${round(maxBytes / 1_048_576)} MB`;
  return "it is too large";
}

/** At most one digit after the decimal point. */
function round(value: number): number {
  return Math.max(0.1, Math.round(value * 10) / 10);
}
