import { isFrequent, type Language, languageOf } from "./language-of.ts";
import { type SoughtWord, soughtWordsOf, wordsOf } from "./words-of.ts";

/** More characters of a question are not read. */
const mostQueryChars = 1_000;
/** Each word and each phrase costs a look into the index. */
const mostWords = 12;
const mostPhrases = 4;
const mostPhraseWords = 20;

export interface ParsedQuery {
  /** Each once. One of them is enough. */
  readonly words: readonly SoughtWord[];
  /** What stood in quotes, as words in their order. All of them have to be there. */
  readonly phrases: readonly (readonly string[])[];
  readonly language?: Language;
  /** Parts of a name. */
  readonly from?: string;
  readonly in?: string;
  /** As dates of ISO 8601: `2026-11-30`, or an instant. `before` is not part of it. */
  readonly after?: string;
  readonly before?: string;
}

/** Takes any text: what is no filter is words. */
export function parseQuery(text: string): ParsedQuery {
  const filters: Partial<Record<"from" | "in" | "after" | "before", string>> = {};
  const quoted: string[] = [];
  const rest = text
    .slice(0, mostQueryChars)
    .replace(
      /(?<![^\s])(from|in|before|after):(?:"([^"]*)"|(\S+))/gi,
      (all, name: string, long?: string, short?: string) => {
        const key = name.toLowerCase() as keyof typeof filters;
        const value = (long ?? short ?? "").trim();
        if (value === "" || ((key === "before" || key === "after") && !isDate(value))) return all;
        filters[key] = value;
        return " ";
      },
    )
    .replace(/["“„]([^"“”„]*)["”“]/g, (_, phrase: string) => {
      quoted.push(phrase);
      return ` ${phrase} `;
    });
  const language = languageOf(wordsOf(rest));
  const phrases = quoted.map((phrase) =>
    soughtWordsOf(phrase)
      .map(({ word }) => word)
      .slice(0, mostPhraseWords),
  );
  return {
    words: tellingWords(soughtWordsOf(rest), language),
    phrases: phrases.filter((words) => words.length > 0).slice(0, mostPhrases),
    ...(language !== undefined && { language }),
    ...filters,
  };
}

/** Without those that nearly every message has, unless there are no others. */
function tellingWords(words: readonly SoughtWord[], language: Language | undefined): readonly SoughtWord[] {
  const each = [...new Map(words.map((one) => [one.word, one])).values()];
  const telling = each.filter(({ word }) => !isFrequent(word, language));
  return (telling.length > 0 ? telling : each).slice(0, mostWords);
}

function isDate(value: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?Z?)?$/.test(value) && !Number.isNaN(Date.parse(value));
}
