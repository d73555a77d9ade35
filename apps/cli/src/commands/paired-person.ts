import type { PairingRow } from "@talaria/store";

/** Shortest beginning of an id that counts. */
const leastIdLength = 4;

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
  if (only === undefined)
    throw new Error(`nobody in \`talaria pair list\` has the id or number ${orName(byName, words)}`);
  const candidates = found.map((row) => `  ${row.id}  ${row.state}  ${personWords(row)}`).join("\n");
  throw new Error(`${JSON.stringify(words)} may mean several people; take the id of one:\n${candidates}`);
}

/** Strangers choose these names: no control character may reach the terminal. */
export function personWords({ accountId, userId, displayName }: PairingRow): string {
  return `${JSON.stringify(displayName)} (${userId}) on ${accountId}`;
}

function orName(byName: boolean, words: string): string {
  return `${byName ? "or the name " : ""}${JSON.stringify(words)}`;
}
