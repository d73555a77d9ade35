import { z } from "zod";

/**
 * What a call did, in the tool's own words, for whoever goes on when the call itself is no longer shown. Paths are relative to the
 * workspace. `digest`: the first 12 digits of the SHA-256 of the whole file, where the tool has read or written all of it.
 */
export type Did =
  | { readonly kind: "read" | "changed"; readonly path: string; readonly digest?: string }
  /** `end`: how it ended, such as `exit code 0`. */
  | { readonly kind: "ran"; readonly command: string; readonly end: string }
  /** Stands for everything that the same tool has planned before. */
  | { readonly kind: "planned"; readonly plan: string };

export const didSchema: z.ZodType<Did> = z.union([
  z.object({ kind: z.enum(["read", "changed"]), path: z.string(), digest: z.string().exactOptional() }),
  z.object({ kind: z.literal("ran"), command: z.string(), end: z.string() }),
  z.object({ kind: z.literal("planned"), plan: z.string() }),
]);
