import type { Target } from "@talaria/protocol";

/** Says of a target whether a rule means it. */
export interface TargetPattern {
  /** As it stands in the configuration. */
  readonly text: string;
  readonly kind: Target["kind"];
  /** The greater, the more specific. */
  readonly weight: number;
  /** `isStrict`: for what is allowed, nothing may be read in two ways. Otherwise every way to say a thing counts. */
  matches(target: Target, isStrict: boolean): boolean;
}

export type PatternReading = { readonly pattern: TargetPattern } | { readonly fault: string };
