import { z } from "zod";

/** The web chat has no keys of its own in the file; the gateway hands over what it needs. */
export const webConfigSchema = z.strictObject({
  /** Longest text of one message, in UTF-16 units. */
  maxTextChars: z.int().min(1).default(100_000),
  /** Largest file, in and out. */
  maxFileBytes: z.int().min(1).default(20_971_520),
});

export type WebConfig = z.output<typeof webConfigSchema>;
