import { type AccountId, plainName } from "@talaria/protocol";
import { peopleMeant } from "@talaria/sessions";
import type { PairingRow } from "@talaria/store";
import { shownWord } from "../shown-word.ts";

/** Shortest part of a name that is looked for, and most people who are listed because of it. */
const leastAlike = 2;
const mostListed = 20;

/**
 * Finds the one whom an operator means by what `people` shows: an id or its beginning, the number behind the name, or, where `byName`
 * is set, the name. Strangers choose their names, so that no name lets anybody in. Throws a sentence that lists those who may
 * be meant if there are several, or that says where to look if there is none.
 */
export function pairedPerson(
  rows: readonly PairingRow[],
  words: string,
  byName: boolean,
  platformOf?: (accountId: AccountId) => string | undefined,
): PairingRow {
  const found = peopleMeant(rows, words, byName, platformOf);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined)
    throw new Error(`${shownWord(words)} may mean several people; take the number of one:\n${listed(found)}`);
  const nobody = `nobody in \`talaria people\` has the id or number ${orName(byName, words)}`;
  const alike = rows.filter(({ displayName }) => isAlike(displayName, words));
  if (alike.length === 0) throw new Error(nobody);
  const remedy = byName
    ? "if you mean one of these, take the number"
    : "a name isn't enough to let somebody in, since people choose their own; if you mean one of these, take the number";
  throw new Error(`${nobody}; ${remedy}:\n${listed(alike.slice(0, mostListed))}`);
}

/** Whether a name and what was typed share a beginning, letter for letter: `Eve` and `@evemeier` of `Eve Meier`. */
function isAlike(name: string, wanted: string): boolean {
  const typed = lettersOf(wanted);
  if (typed.length < leastAlike) return false;
  const words = plainName(name).split(/\s+/);
  return words.some((_, at) => lettersOf(words.slice(at).join("")).startsWith(typed));
}

function lettersOf(text: string): string {
  return plainName(text).replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function listed(rows: readonly PairingRow[]): string {
  return rows.map((row) => `  ${row.id.slice(0, 8)}  ${stands[row.state]}  ${personWords(row)}`).join("\n");
}

const stands = {
  waiting: "waiting",
  approved: "let in",
  ignored: "ignored",
  blocked: "blocked",
  removed: "removed",
} as const satisfies Record<PairingRow["state"], string>;

/** Strangers choose these names: no control character may reach the terminal. */
export function personWords({ accountId, userId, displayName }: PersonOfAccount): string {
  return `${displayName === "" ? userId : `${JSON.stringify(displayName)} (${userId})`} on ${accountId}`;
}

export type PersonOfAccount = Pick<PairingRow, "accountId" | "userId" | "displayName">;

function orName(byName: boolean, words: string): string {
  return `${byName ? "or the name " : ""}${shownWord(words)}`;
}
