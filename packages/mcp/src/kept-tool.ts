import { z } from "zod";

/** A tool as a prompt was shown it. */
export const keptToolSchema = z.object({
  name: z.string(),
  nameThere: z.string(),
  description: z.string(),
  /** In the order of the bytes that the model has read. */
  parameters: z.record(z.string(), z.unknown()),
  /** The server said of it that it changes things. */
  isAdmitted: z.boolean(),
  digest: z.string(),
  headerSchema: z.looseObject({ type: z.literal("object") }).optional(),
});

export type KeptTool = z.output<typeof keptToolSchema>;
