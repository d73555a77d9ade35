import { defineTool } from "@talaria/agent";
import { choiceLineSchema } from "@talaria/protocol";
import { z } from "zod";
import { offeredChoices } from "./offered-choices.ts";

const limits = { options: 10, questionChars: 1_000 };

/** What `ask` does with `wait: false`, under the name and with the arguments of older releases. */
export const offerChoices = defineTool({
  name: "offer_choices",
  description: "Ends your reply with a question and short answers. Use ask instead.",
  effect: "read",
  isFormer: true,
  asksPeople: true,
  permissions: ["send"],
  input: z.strictObject({
    question: z.string().trim().min(1).max(limits.questionChars),
    options: z
      .array(z.strictObject({ label: choiceLineSchema }))
      .min(2)
      .max(limits.options),
  }),
  async execute({ question, options }, { idempotencyKey }) {
    const labels = options.map(({ label }) => label);
    return {
      content: "Your reply will end with this question and its choices.",
      reply: offeredChoices(question, labels, idempotencyKey),
    };
  },
});
