import type { SessionKey } from "@talaria/protocol";
import { plainWord } from "@talaria/sandbox";
import type { NamedSession, OperationsStore } from "@talaria/store";

const mostNameChars = 60;

/** `"Ada Lovelace" (42) on telegram-main`, `"Ops" (-100) on telegram-main`; where nobody has given a name: `-100 on telegram-main`. */
export function placeWords({ conversation, person }: NonNullable<Placed["place"]>): string {
  const { accountId, conversationId, kind, title = "" } = conversation;
  const name = (kind === "direct" && plain(person?.displayName ?? "")) || title;
  return `${nameWords(name, conversationId)} on ${accountId}`;
}

/** An id as people type it in a shell. */
export function typedWord(id: string): string {
  return plainWord(id.replace(/\p{C}/gu, " "));
}

/** `"Ada Lovelace" (42)`, or `42` where nobody has given a name. People choose names: one can't end its quotation marks, nor begin a line. */
export function nameWords(given: string, givenId: string): string {
  const [name, id] = [plain(given), givenId.replace(/\p{C}/gu, " ")];
  return name === "" || name === id ? id : `${JSON.stringify(name)} (${id})`;
}

export interface Placed {
  /** Absent: nothing is known of the session's conversation. */
  readonly place?: Pick<NamedSession, "conversation" | "person">;
}

/** The same rows with where their sessions take place. */
export async function withPlaces<Row extends { readonly sessionKey?: SessionKey }>(
  rows: readonly Row[],
  { named }: Pick<OperationsStore, "named">,
): Promise<readonly (Row & Placed)[]> {
  const keys = new Set(rows.flatMap(({ sessionKey }) => sessionKey ?? []));
  const places = new Map((await named([...keys])).map(({ sessionKey, ...place }) => [sessionKey, place]));
  return rows.map((row) => {
    const place = row.sessionKey === undefined ? undefined : places.get(row.sessionKey);
    return place === undefined ? row : { ...row, place };
  });
}

/** People choose titles and names, and what platforms make ids of: no control character may reach the terminal. */
function plain(text: string): string {
  const all = text
    .slice(0, 4 * mostNameChars)
    .replace(/\p{C}/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...all];
  return characters.length <= mostNameChars ? all : `${characters.slice(0, mostNameChars).join("")}…`;
}
