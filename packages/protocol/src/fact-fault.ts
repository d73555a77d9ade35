import { type FactFault, type Sign, signs } from "./fact-signs.ts";
import { holdsSecret } from "./secret-shapes.ts";
import { suspicionIn } from "./suspicion.ts";
import { visibleText } from "./visible-text.ts";

/** What is looked through before anything else is decided about a text. */
export const mostScannedChars = 65_536;

/**
 * Why a text may not be kept or shown; undefined where it may. Looks at the text as it came, and then as it reads: NFKC, in lower case, with
 * single blanks. Nothing in here takes more than one pass for each sign.
 */
export function factFaultIn(text: string): FactFault | undefined {
  if (text.length > mostScannedChars) return "too_long";
  const lines = text.replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n");
  if (visibleText(lines) !== lines) return "unseen_characters";
  if (mixedAlphabets.test(lines)) return "mixed_alphabets";
  if (holdsSecret(lines)) return "secret";
  const plain = lines.normalize("NFKC").replace(/[’‘]/g, "'").replace(/\s+/g, " ").toLowerCase();
  return suspicionIn(lines) ?? signs.find(([pattern]: Sign) => pattern.test(plain))?.[1];
}

/** Latin beside Cyrillic or Greek without anything between them. */
export const mixedAlphabets =
  /\p{Script=Latin}(?:\p{Script=Cyrillic}|\p{Script=Greek})|(?:\p{Script=Cyrillic}|\p{Script=Greek})\p{Script=Latin}/u;
