import { wordsIn } from "@talaria/words";

/** What adapters say to somebody who reads it alone. `language`: theirs (BCP 47), where it is known. */
export function platformWordsIn(language?: string) {
  const { prompts, ...words } = wordsIn(language).platformNotices;
  return { ...words, prompts: Object.values(prompts) };
}
