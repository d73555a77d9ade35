import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const encoding = new Tiktoken(o200k);

/** Tokens of the encoding o200k, which OpenAI's models have used since GPT-4o. Other tokenizers differ by some percent. */
export function countTokens(text: string): number {
  return encoding.encode(text, [], []).length;
}
