import type { PersonVerb } from "@talaria/sessions";
import type { PairingRow } from "@talaria/store";
import { personWords } from "./paired-person.ts";

export interface Decided {
  /** Their words are answered now. */
  readonly isAnswered: boolean;
  /** Groups of that account answer everybody there. */
  readonly inGroups: boolean;
  /** The configuration lets them in all the same. */
  readonly isListed: boolean;
}

/** What an operator reads who has decided about somebody. `row`: as they stood before. */
export function decidedWords(verb: PersonVerb, row: PairingRow, { isAnswered, inGroups, isListed }: Decided): string {
  const who = personWords(row);
  switch (verb) {
    case "add":
      return `let in: ${who}${isAnswered ? ", who gets an answer to what they wrote" : ""}`;
    case "ignore":
      return `ignored for a day: ${who}`;
    case "block":
      return `blocked: ${who}. \`talaria people remove\` ends that`;
    case "remove": {
      const block = `\`talaria people block ${row.id.slice(0, 8)}\``;
      const stillIn = `Groups that are let in still answer them, as they answer everybody there: ${block} ends that`;
      if (row.state === "approved") return `removed: ${who}${inGroups ? `. ${stillIn}` : ""}`;
      return `forgotten: ${who}${isListed ? "" : ", who had no access. Writing again asks for a new code"}`;
    }
    default:
      return verb satisfies never;
  }
}
