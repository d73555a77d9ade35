import { callText, mostShownChars } from "@talaria/policy";
import type { OpenCall } from "@talaria/store";

interface Asked extends Pick<OpenCall, "shown"> {
  readonly words?: OpenCall["words"] | undefined;
}

/**
 * What a call would do, Markdown, in about `most` characters; default: as its question has it. `leftOut`: so many characters are not shown, and the
 * text says so. Without words it is what an earlier release has written, which is never cut here.
 */
export function askedText(
  { shown, words }: Asked,
  most = mostShownChars,
): { readonly text: string; readonly leftOut: number } {
  if (words === undefined) return { text: shown, leftOut: 0 };
  return callText(words, Math.min(most, mostShownChars) + words.why.length);
}

/** All that is kept of it. */
export function wholeText({ shown, words }: Asked): string {
  return words === undefined ? shown : callText(words, Number.POSITIVE_INFINITY).text;
}
