import type { CallLanguage } from "./asked-text.ts";
import { english } from "./english/index.ts";
import { type Partly, type Words, withEnglish } from "./words.ts";

/** By their tags in small letters. A further language is one entry. */
const languages = new Map<string, Words>([["en", english]]);

/** Adds a language for this process, or exchanges it. What it lacks is said in English. `tag`: BCP 47, such as `pt` or `pt-BR`. */
export function addLanguage(tag: string, words: Partly<Words>): void {
  languages.set(tag.toLowerCase(), withEnglish(words));
}

/** The same text in every language, for what many read, of whom others know the languages. `inLanguages`: by tags in small letters. */
export function inEveryLanguage(say: (words: Words) => string): {
  readonly markdown: string;
  readonly inLanguages?: Readonly<Record<string, string>>;
} {
  const others = [...furtherLanguages()].map(([tag, words]) => [tag, say(words)] as const);
  return { markdown: say(english), ...(others.length > 0 && { inLanguages: Object.fromEntries(others) }) };
}

/** In which language calls are shown by whoever has these words. */
export function callLanguageOf(words: Words): CallLanguage {
  const [tag = "en"] = [...languages].find(([, known]) => known === words) ?? [];
  return { tag, phrases: words.callPhrases };
}

/** All languages but English, by their tags. */
export function furtherLanguages(): ReadonlyMap<string, Words> {
  return new Map([...languages].filter(([, words]) => words !== english));
}

/**
 * The words of a language as BCP 47 names it, else of the one that it is a kind of, else English: `pt-BR`, `pt`, `en` (RFC 4647, section
 * 3.4). Undefined: nobody knows which.
 */
export function wordsIn(tag: string | undefined): Words {
  let parts = tag?.toLowerCase().split("-") ?? [];
  while (parts.length > 0) {
    const found = languages.get(parts.join("-"));
    if (found !== undefined) return found;
    // A single letter begins an extension and says nothing alone.
    parts = parts.slice(0, parts.at(-2)?.length === 1 ? -2 : -1);
  }
  return english;
}
