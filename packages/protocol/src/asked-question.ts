import { z } from "zod";
import { visibleText } from "./visible-text.ts";

/** The tool whose call waits for the answer of a person, unless it says otherwise. */
export const askTool = "ask";

/** The most choices of a question, and the most characters of it and of one choice. */
const questionLimits = { choices: 8, choiceChars: 80, questionChars: 1_000 } as const;

export interface AskedQuestion {
  readonly question: string;
  readonly choices: readonly string[];
}

/** Also the one of Braille, which is no space to Unicode. */
const blanks = /[\s\u2800]+/g;

const line = (most: number) =>
  z
    .string()
    .transform((text) => visibleText(text).replace(blanks, " ").trim())
    .pipe(z.string().min(1).max(most));

/** One choice, as people see it: a line without anything hidden. */
export const choiceLineSchema = line(questionLimits.choiceChars);

/** The arguments of that tool. Choices differ from each other. */
export const askedQuestionSchema = z.strictObject({
  question: z
    .string()
    .trim()
    .min(1)
    .max(questionLimits.questionChars)
    .refine((text) => visibleText(text).trim() !== "", "nothing of it can be seen"),
  choices: z
    .array(choiceLineSchema)
    .min(2)
    .max(questionLimits.choices)
    .refine((choices) => new Set(choices).size === choices.length, "two choices are the same"),
  wait: z.boolean().default(true),
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
