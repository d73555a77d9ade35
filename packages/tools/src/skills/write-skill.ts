import { defineTool } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";

/** Longer ones are refused with a sentence that says how much there may be. */
const mostChars = 100_000;
const mostNameChars = 200;
const mostFiles = 20;

/** Keeps how some work is done. Whoever talks with the agent here has it at once, others once an owner has accepted it. */
export const writeSkill = defineTool({
  name: "write_skill",
  description:
    "Keeps how a kind of work is done as a skill, or replaces one of that name: after work that took several tries, or when somebody has " +
    "corrected how you do it. Steps that lead there, what has failed and why, what to check; for a reader who knows nothing of today. " +
    "Procedures only: no facts about people (memory keeps those), no secrets. It is known here at once, elsewhere when an owner has accepted it.",
  effect: "write",
  isRare: true,
  permissions: ["memory"],
  input: z.strictObject({
    name: z.string().min(1).max(mostNameChars).describe("Lower case, digits, hyphens"),
    description: z.string().min(1).max(mostChars).describe("What it does, and when to use it"),
    body: z.string().min(1).max(mostChars).describe("Markdown"),
    files: z
      .array(z.strictObject({ path: z.string().min(1).max(mostNameChars), text: z.string().max(mostChars) }))
      .max(mostFiles)
      .optional()
      .describe("A few small ones that the body names"),
  }),
  resources: () => ["skills"],
  async execute({ name, description, body, files = [] }, { skills, idempotencyKey }) {
    if (skills === undefined)
      throw new GatewayError("nothing is kept beyond this conversation", { code: "unsupported" });
    return { content: await skills.write({ name, description, body, files }, { key: idempotencyKey }) };
  },
});
