import { holdsSecret, suspicionIn } from "@talaria/agent";
import { visibleText } from "@talaria/protocol";
import { mostScannedChars } from "./limits.ts";
import { type Sign, signs } from "./signs.ts";

/**
 * Why a text may not be kept or shown, in half a sentence with what to do instead; undefined where it may. Looks at the text as it came,
 * and then as it reads: NFKC, in lower case, with single blanks. Nothing in here takes more than one pass for each sign.
 */
export function whyNotKept(text: string): string | undefined {
  if (text.length > mostScannedChars) return `it is longer than ${mostScannedChars} characters`;
  const lines = text.replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n");
  if (visibleText(lines) !== lines) return "it has characters that nobody sees, or that turn text round";
  if (mixedAlphabets.test(lines)) return "it has words of mixed alphabets, which look like others than they are";
  if (holdsSecret(lines)) return "it holds a secret: those belong into the operator's `secrets`";
  const plain = lines.normalize("NFKC").replace(/[’‘]/g, "'").replace(/\s+/g, " ").toLowerCase();
  return suspicionIn(lines) ?? signs.find(([pattern]: Sign) => pattern.test(plain))?.[1];
}

/** Latin beside Cyrillic or Greek without anything between them. */
export const mixedAlphabets =
  /\p{Script=Latin}(?:\p{Script=Cyrillic}|\p{Script=Greek})|(?:\p{Script=Cyrillic}|\p{Script=Greek})\p{Script=Latin}/u;
