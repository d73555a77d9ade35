import { createHash } from "node:crypto";
import { defineTool } from "@talaria/agent";
import { z } from "zod";

const limits = { options: 10, labelChars: 80, questionChars: 1_000 };

/** Puts a question with buttons below the reply. */
export const offerChoices = defineTool({
  name: "offer_choices",
  description:
    "Ends your reply with a question and 2 to 10 short answers, shown as buttons or a numbered list. It doesn't wait: write the " +
    "rest of your reply and stop; the choice arrives as the next message. Use it to suggest what to do next. For a decision in " +
    "the middle of your work, use ask.",
  effect: "read",
  permissions: ["send"],
  input: z.strictObject({
    question: z.string().trim().min(1).max(limits.questionChars),
    options: z
      .array(z.strictObject({ label: z.string().trim().min(1).max(limits.labelChars) }))
      .min(2)
      .max(limits.options),
  }),
  async execute({ question, options }, { idempotencyKey }) {
    const call = createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 10);
    const choices = options.map(({ label }, index) => ({
      id: `${call}-${index + 1}`,
      label: label.replace(/\s+/g, " "),
    }));
    return {
      content: "Your reply will end with this question and its choices.",
      reply: { choices: { question, options: choices } },
    };
  },
});
