import type { IdForms } from "@talaria/protocol";
import type { z } from "zod";

/** What has to be known of a platform to check an account on it. */
export interface PlatformRules {
  /** Its own keys. */
  readonly configSchema: z.ZodType;
  readonly ids: IdForms;
  /** The key that two accounts cannot share. */
  readonly identityKey: string;
}

/** The platforms that accounts may name, and the rules of those that do. */
export interface Platforms {
  readonly names: readonly string[];
  readonly rules: Readonly<Record<string, PlatformRules>>;
}
