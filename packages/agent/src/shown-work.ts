import { knownSecrets } from "@talaria/protocol";
import { oneLine } from "./untrusted-text.ts";

/** Of a longer text nothing is shown anyway, and a token that is cut has no shape. */
const mostReadChars = 4_000;
const stars = "***";

/** Words after which a secret stands, whatever it looks like; what stands before it stays. `$VARIABLE` tells nothing and stays, too. */
const after = [
  /(?<=\b(?:bearer|basic|token)[ :=]+)(?![$*"'])[\w.~+/=-]{6,}/gi,
  /(?<=[\w-]{0,40}(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key)["']?(?:\s{0,3}[=:]\s{0,3}|\s)["']?)(?![$*"'-])[^\s"'&;|]{6,}/gi,
  /(?<=[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"']{0,100}:)(?!\$)[^\s/@"']{1,500}(?=@)/gi,
  /(?<=\s(?:-u|--user)[ =]["']?[^\s:"']{1,100}:)(?!\$|\d+(?:\s|$))[^\s"']+/g,
];

/** What the agent does, as one line for people. Others may read along, so what is known as a token or a password has stars in its place. */
export function shownWork(text: string, most: number): string {
  const read = text.slice(0, mostReadChars).replace(knownSecrets, stars);
  return oneLine(
    after.reduce((before, pattern) => before.replace(pattern, stars), read),
    most,
  );
}
