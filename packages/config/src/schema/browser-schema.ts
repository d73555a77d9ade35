import { z } from "zod";

const limitsSchema = z.strictObject({
  memoryMb: z.int().min(256).default(1_536).describe("Memory of one browser, of all its processes together."),
  browsers: z.int().min(1).max(100).default(4).describe("Browsers of one worker process at a time."),
  idleMinutes: z.int().min(1).max(1_440).default(15).describe("A browser that nobody has used for so long is ended."),
});

/** A real browser for the agent. */
export const browserSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe("Whether the agent has a browser. Needs Linux with bubblewrap and socat, and Chromium."),
  executable: z
    .string()
    .regex(/^\//, "must be an absolute path")
    .optional()
    .describe("Chromium's program. Default: that of Debian's package `chromium`."),
  limits: limitsSchema.prefault({}),
});
