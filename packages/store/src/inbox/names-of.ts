import type { Sender } from "@talaria/protocol";

/** Characters of a name or username that are kept. */
const longestName = 100;

/** Why an event is ignored that was said among others, or is no message: nobody waits for an answer, and no names are kept of it. */
export const notToUs: ReadonlySet<string> = new Set(["not_addressed", "reaction", "empty", "from_system"]);

/** What a settled event keeps of its sender's names: people choose them, so that they are cleaned of control characters and cut. */
export function namesOf({ displayName, handle }: Sender): { readonly name?: string; readonly handle?: string } {
  const [name, username] = [displayName, handle].map((given = "") => plain(given));
  return { ...(name && { name }), ...(username && { handle: username }) };
}

function plain(given: string): string {
  const cleaned = given
    .slice(0, 4 * longestName)
    .toWellFormed()
    .replace(/\p{C}/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return [...cleaned].slice(0, longestName).join("");
}
