import { type CallPhrases, callText, mostShownChars } from "@talaria/policy";
import type { OpenCall } from "@talaria/store";
import { callPhrases } from "./english/call-phrases.ts";

interface Asked extends Pick<OpenCall, "shown"> {
  readonly words?: OpenCall["words"] | undefined;
}

/** In which language a call is shown. `tag`: as `addLanguage` has it, in small letters. */
export interface CallLanguage {
  readonly tag: string;
  readonly phrases: CallPhrases;
}

export const inEnglish: CallLanguage = { tag: "en", phrases: callPhrases };

/**
 * What a call would do, Markdown, in about `most` characters; default: as its question has it. `leftOut`: so many characters are not shown, and the
 * text says so. Without words it is what an earlier release has written, which is never cut here.
 */
export function askedText(
  { shown, words }: Asked,
  language: CallLanguage,
  most = mostShownChars,
): { readonly text: string; readonly leftOut: number } {
  if (words === undefined) return { text: shown, leftOut: 0 };
  const said = sayingIn(words, language);
  return callText(said.words, Math.min(most, mostShownChars) + said.words.why.length, said.phrases);
}

/** All that is kept of it. */
export function wholeText({ shown, words }: Asked, language: CallLanguage): string {
  if (words === undefined) return shown;
  const said = sayingIn(words, language);
  return callText(said.words, Number.POSITIVE_INFINITY, said.phrases).text;
}

/** A question that was asked before the language was there is in English. */
function sayingIn(words: NonNullable<OpenCall["words"]>, { tag, phrases }: CallLanguage) {
  const own = words.inLanguages?.[tag];
  return own === undefined ? { words, phrases: callPhrases } : { words: own, phrases };
}
