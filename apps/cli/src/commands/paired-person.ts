import type { PairingRow } from "@talaria/store";

/** Shortest beginning of an id that counts. */
const leastIdLength = 4;
/** Shortest part of a name that is looked for, and most people who are listed because of it. */
const leastAlike = 2;
const mostListed = 20;

/**
 * Finds the one whom an operator means by what `pair list` shows: an id or its beginning, the number behind the name, or, where `byName`
 * is set, the name. Strangers choose their names, so that no name lets anybody in. Throws a sentence that lists those who may
 * be meant if there are several, or that says where to look if there is none.
 */
export function pairedPerson(rows: readonly PairingRow[], words: string, byName: boolean): PairingRow {
  const wanted = words.trim().toLowerCase();
  const exact = rows.find(({ id }) => id === wanted);
  if (exact !== undefined) return exact;
  const found = rows.filter(
    ({ id, userId, displayName }) =>
      (wanted.length >= leastIdLength && id.startsWith(wanted)) ||
      userId.toLowerCase() === wanted ||
      (byName && wanted !== "" && displayName.trim().toLowerCase() === wanted),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined)
    throw new Error(`${JSON.stringify(words)} may mean several people; take the id of one:\n${listed(found)}`);
  const nobody = `nobody in \`talaria pair list\` has the id or number ${orName(byName, words)}`;
  const alike = byName ? rows.filter(({ displayName }) => isAlike(displayName, wanted)) : [];
  if (alike.length === 0) throw new Error(nobody);
  throw new Error(`${nobody}; if you mean one of these, take the id:\n${listed(alike.slice(0, mostListed))}`);
}

/** Whether a name and what was typed share a beginning, letter for letter: `Eve` and `@evemeier` of `Eve Meier`. */
function isAlike(name: string, wanted: string): boolean {
  const typed = lettersOf(wanted);
  if (typed.length < leastAlike) return false;
  const words = name.trim().toLowerCase().split(/\s+/);
  return words.some((_, at) => lettersOf(words.slice(at).join("")).startsWith(typed));
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function listed(rows: readonly PairingRow[]): string {
  return rows.map((row) => `  ${row.id}  ${row.state}  ${personWords(row)}`).join("\n");
}

/** Strangers choose these names: no control character may reach the terminal. */
export function personWords({ accountId, userId, displayName }: PairingRow): string {
  return `${JSON.stringify(displayName)} (${userId}) on ${accountId}`;
}

function orName(byName: boolean, words: string): string {
  return `${byName ? "or the name " : ""}${JSON.stringify(words)}`;
}
