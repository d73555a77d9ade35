import type { MetGroup } from "@talaria/store";
import { placeWords } from "./place-words.ts";

export type GroupName = Pick<MetGroup, "accountId" | "conversationId" | "platform">;

/** An account of the configuration as far as groups are concerned. */
export interface GroupRules {
  readonly accountId: string;
  readonly platform: string;
  readonly groups: "allowlist" | "open" | "off";
  readonly listed: readonly string[];
}

/**
 * The group that an operator means by its id, or `account/id`: one where somebody wrote in vain, or any other whose account is named. People
 * choose titles, so that none lets a group in. Throws a sentence that says what to type instead.
 */
export function meantGroup(words: string, met: readonly MetGroup[], accounts: readonly GroupRules[]): GroupName {
  const wanted = words.trim();
  const found = met.filter(
    ({ accountId, conversationId }) => conversationId === wanted || `${accountId}/${conversationId}` === wanted,
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) {
    const names = found.map(({ accountId, conversationId }) => `  ${accountId}/${conversationId}`);
    throw new Error(`${JSON.stringify(words)} may mean several groups; take one of:\n${names.join("\n")}`);
  }
  const account = accounts.find(({ accountId }) => wanted.startsWith(`${accountId}/`));
  const id = account === undefined ? "" : wanted.slice(account.accountId.length + 1);
  if (account !== undefined && id !== "")
    return { accountId: account.accountId, conversationId: id, platform: account.platform } as GroupName;
  const titled = met.filter(({ title }) => title?.trim().toLowerCase() === wanted.toLowerCase());
  const hint =
    titled.length === 0
      ? "`talaria groups` lists those that were seen; one that was not is named `<account>/<id>`"
      : `if you mean one of these, take its id, since people choose titles:\n${titled.map((group) => `  ${groupWords(group)}`).join("\n")}`;
  throw new Error(`no group with the id ${JSON.stringify(words)} was seen: ${hint}`);
}

/** `Team (-1005) on telegram-main`. */
export function groupWords({
  accountId,
  conversationId,
  platform,
  title,
}: Omit<MetGroup, "messages" | "lastAt">): string {
  const titled = title === undefined ? {} : { title };
  return placeWords({ conversation: { accountId, conversationId, platform, kind: "group", ...titled } });
}
