import { type AccountId, plainName } from "@talaria/protocol";
import type { PairingRow, PersonDecision, Standing, Welcomes } from "@talaria/store";
import { wordsAt } from "@talaria/words";

export const personVerbs = ["add", "ignore", "block", "remove"] as const;

/** What somebody does about a person who asked. */
export type PersonVerb = (typeof personVerbs)[number];

/**
 * What comes of it for somebody who stands like that. Undefined: nothing would change, or it can't be done. Whoever is removed without
 * having had access is forgotten.
 */
export function personDecision(
  verb: PersonVerb,
  row: Pick<PairingRow, "id" | "state" | "conversation" | "language">,
): Omit<PersonDecision, "by"> | undefined {
  const { id, state } = row;
  const to = verb === "remove" && state !== "approved" ? "forgotten" : outcomes[verb].to;
  if (!outcomes[verb].from.includes(state)) return undefined;
  return { id, from: [state], to, ...welcomesFor(row) };
}

/** What they read who are let in, in their language. Who has not written yet, and has told none, reads English. */
export function welcomesFor({ conversation, language }: Pick<PairingRow, "conversation" | "language">): Welcomes {
  const { welcome, answering } = wordsAt({ conversation: conversation ?? { kind: "direct" }, language }).peopleNotices;
  return { welcome, answering };
}

const outcomes: Readonly<
  Record<PersonVerb, { readonly to: PersonDecision["to"]; readonly from: readonly Standing[] }>
> = {
  add: { to: "approved", from: ["waiting", "ignored", "blocked", "removed"] },
  ignore: { to: "ignored", from: ["waiting"] },
  block: { to: "blocked", from: ["waiting", "approved", "ignored", "removed"] },
  remove: { to: "removed", from: ["waiting", "approved", "ignored", "blocked"] },
};

/** Shortest beginning of an id that counts. */
const leastIdLength = 4;

/**
 * Those who may be meant: by an id or its beginning, the number behind the name, or, where `byName` is set and nobody has that id, the
 * name. Strangers choose their names, so that no name lets anybody in. `platformOf`: of accounts whose people are also named as
 * `<platform>:user:<id>`.
 */
export function peopleMeant(
  rows: readonly PairingRow[],
  words: string,
  byName: boolean,
  platformOf: (accountId: AccountId) => string | undefined = () => undefined,
): readonly PairingRow[] {
  const wanted = words.trim().toLowerCase();
  const exact = rows.find(({ id }) => id === wanted);
  if (exact !== undefined) return [exact];
  const byId = rows.filter(
    ({ id, accountId, userId, conversation }) =>
      (wanted.length >= leastIdLength && id.startsWith(wanted)) ||
      userId.toLowerCase() === wanted ||
      `${accountId}/${userId}`.toLowerCase() === wanted ||
      `${conversation?.platform ?? platformOf(accountId)}:user:${userId}`.toLowerCase() === wanted,
  );
  if (byId.length > 0 || !byName) return byId;
  const name = plainName(wanted);
  return name === "" ? [] : rows.filter(({ displayName }) => plainName(displayName) === name);
}
