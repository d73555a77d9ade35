import { z } from "zod";

/** The tool whose call waits for the answer of a person, unless it says otherwise. */
export const askTool = "ask";

/** The most choices of a question, and the most characters of it and of one choice. */
const questionLimits = { choices: 8, choiceChars: 80, questionChars: 1_000 } as const;

export interface AskedQuestion {
  readonly question: string;
  readonly choices: readonly string[];
}

const line = (most: number) =>
  z
    .string()
    .transform((text) => text.replace(/\s+/g, " ").trim())
    .pipe(z.string().min(1).max(most));

/** The arguments of that tool. Choices differ from each other. */
export const askedQuestionSchema = z.strictObject({
  question: z.string().trim().min(1).max(questionLimits.questionChars),
  choices: z
    .array(line(questionLimits.choiceChars))
    .min(2)
    .max(questionLimits.choices)
    .refine((choices) => new Set(choices).size === choices.length, "two choices are the same"),
  wait: z.boolean().default(true).describe("Whether your work waits for the choice."),
});

/** What a call asks people; undefined where it asks nothing that they could choose. */
export function askedQuestion(call: { readonly name: string; readonly arguments: string }): AskedQuestion | undefined {
  if (call.name !== askTool) return undefined;
  try {
    return askedQuestionSchema.safeParse(JSON.parse(call.arguments)).data;
  } catch {
    return undefined;
  }
}
