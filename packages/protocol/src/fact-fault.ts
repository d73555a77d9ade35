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
  const plain = plainOf(lines);
  return suspicionIn(lines) ?? signs.find(([pattern]: Sign) => pattern.test(plain))?.[1];
}

/** What a text of any form holds that is nobody's to keep. */
export function privateFaultIn(text: string): "secret" | "one_time_code" | undefined {
  if (holdsSecret(text)) return "secret";
  const plain = plainOf(text);
  const found = signs.find(([pattern, fault]: Sign) => isPrivate(fault) && pattern.test(plain))?.[1];
  return found !== undefined && isPrivate(found) ? found : undefined;
}

function isPrivate(fault: FactFault): fault is "secret" | "one_time_code" {
  return fault === "secret" || fault === "one_time_code";
}

function plainOf(text: string): string {
  return text.normalize("NFKC").replace(/[’‘]/g, "'").replace(/\s+/g, " ").toLowerCase();
}

/** Latin beside Cyrillic or Greek without anything between them. */
export const mixedAlphabets =
  /\p{Script=Latin}(?:\p{Script=Cyrillic}|\p{Script=Greek})|(?:\p{Script=Cyrillic}|\p{Script=Greek})\p{Script=Latin}/u;
