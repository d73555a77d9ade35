import { defineTool } from "@talaria/agent";
import { z } from "zod";
import { factsOf } from "./memory.ts";

const mostWordChars = 200;

/** Shows what is kept, with its sources' words marked as such. */
export const recall = defineTool({
  name: "recall",
  description: "Lists the facts of earlier conversations, also replaced ones, with their numbers.",
  effect: "read",
  isRare: true,
  permissions: ["memory"],
  input: z.strictObject({
    words: z.string().max(mostWordChars).optional().describe("Only facts with all of these"),
  }),
  resources: () => ["facts"],
  async execute({ words = "" }, context) {
    const { content, isUntrusted } = await factsOf(context).recall(words.split(/\s+/).filter((word) => word !== ""));
    return { content, ...(isUntrusted && { untrusted: true }) };
  },
});
