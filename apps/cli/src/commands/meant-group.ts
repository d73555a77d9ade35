import { plainName } from "@talaria/protocol";
import type { MetGroup } from "@talaria/store";
import { shownWord } from "../shown-word.ts";
import { placeWords } from "./place-words.ts";

export type GroupName = Pick<MetGroup, "accountId" | "conversationId" | "platform">;

const mostNamed = 20;

/** An account of the configuration as far as groups are concerned. */
export interface GroupRules {
  readonly accountId: string;
  readonly platform: string;
  readonly groups: "allowlist" | "open" | "off";
  readonly listed: readonly string[];
}

/**
 * The group that an operator means by its id or title, with `account/` before it or without: one that was seen, or by its id any other whose
 * account is named. Ids come first, since people choose titles; a title counts where one group alone has it. Throws a sentence that says what
 * to type instead.
 */
export function meantGroup(words: string, met: readonly MetGroup[], accounts: readonly GroupRules[]): GroupName {
  const wanted = words.trim();
  const withId = met.filter(
    ({ accountId, conversationId }) => conversationId === wanted || `${accountId}/${conversationId}` === wanted,
  );
  const found = withId.length > 0 ? withId : met.filter((group) => isTitled(group, wanted));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) {
    const names = found
      .slice(0, mostNamed)
      .map((group) => `  ${group.accountId}/${group.conversationId}${titleOf(group)}`);
    throw new Error(`${shownWord(words)} may mean several groups; take one of:\n${names.join("\n")}`);
  }
  const account = accounts.find(({ accountId }) => wanted.startsWith(`${accountId}/`));
  const id = account === undefined ? "" : wanted.slice(account.accountId.length + 1);
  if (account !== undefined && id !== "")
    return { accountId: account.accountId, conversationId: id, platform: account.platform } as GroupName;
  throw new Error(
    `no group with the id or title ${shownWord(words)} was seen: \`talaria groups\` lists those that were; one that was not is named \`<account>/<id>\``,
  );
}

function isTitled({ accountId, title = "" }: MetGroup, wanted: string): boolean {
  const [name, words] = [plainName(title), plainName(wanted)];
  return name !== "" && (words === name || words === `${accountId}/${name}`);
}

function titleOf(group: MetGroup): string {
  return group.title === undefined ? "" : `, ${groupWords(group)}`;
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
