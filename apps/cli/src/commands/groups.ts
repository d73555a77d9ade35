import type { TalariaConfig } from "@talaria/config";
import type { MetGroup } from "@talaria/store";
import { withStore } from "../open-store.ts";
import { wordsAt } from "../shell/working-words.ts";
import { type GroupRules, groupWords, meantGroup } from "./meant-group.ts";
import { typedWord } from "./place-words.ts";

type Options = Record<string, string | boolean | undefined>;

/** `talaria groups`: groups that are answered, and those where somebody wrote in vain, with the command that lets one in. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ groups }, { config }) => {
    const accounts = rulesOf(config);
    const met = await groups.list();
    if (options.json === true) {
      console.log(JSON.stringify({ accounts, met }, null, 2));
      return;
    }
    const lines = [...accounts.flatMap(configuredLines), ...met.map((group) => metLine(group, accounts))];
    for (const line of lines.length === 0 ? ["no group was seen, and none is let in"] : lines)
      console.log(await wordsAt(process.stdout, line));
  });
}

/** `talaria groups allow GROUP`: counts from the next message there on, without a restart. */
export function allow(options: Options, words = ""): Promise<void> {
  return withStore(options, async ({ groups }, { config }) => {
    const accounts = rulesOf(config);
    const met = await groups.list();
    const group = meantGroup(words, met, accounts);
    const account = accounts.find(({ accountId }) => accountId === group.accountId);
    if (account === undefined) throw new Error(`account ${group.accountId} is not in the configuration any more`);
    if (account.groups === "off")
      throw new Error(`accounts.${group.accountId}.access.groups is off: set it to allowlist first`);
    await groups.allow(group);
    const before = met.find((one) => one.accountId === group.accountId && one.conversationId === group.conversationId);
    const isAgain = before !== undefined && before.allowedAt === undefined && before.messages > 0;
    const again = "; what was written to the agent there before has to be written again";
    console.log(`let in: ${groupWords(group)}${isAgain ? again : ""}`);
  });
}

/** `talaria groups remove GROUP`: nobody is answered there any more, and what runs there ends. */
export function remove(options: Options, words = ""): Promise<void> {
  return withStore(options, async ({ groups }, { config }) => {
    const accounts = rulesOf(config);
    const group = meantGroup(words, await groups.list(), accounts);
    const isRemoved = await groups.remove(group);
    const account = accounts.find(({ accountId }) => accountId === group.accountId);
    if (account?.groups === "open" || account?.listed.includes(group.conversationId)) {
      const key = account.groups === "open" ? "groups: open" : "allow";
      throw new Error(
        `${groupWords(group)} is let in by accounts.${group.accountId}.access.${key} of the configuration: only a change there shuts it out`,
      );
    }
    if (!isRemoved) throw new Error(`${groupWords(group)} was not let in`);
    console.log(`removed: ${groupWords(group)}`);
  });
}

function rulesOf({ accounts }: TalariaConfig): readonly GroupRules[] {
  return Object.entries(accounts).map(([accountId, { platform, access }]) => ({
    accountId,
    platform,
    groups: access.groups,
    listed: access.allow.groups,
  }));
}

function configuredLines({ accountId, groups, listed }: GroupRules): readonly string[] {
  if (groups === "open")
    return [`let in       every group of ${accountId} (accounts.${accountId}.access.groups: open)`];
  if (groups === "off") return [];
  return listed.map((id) => `let in       ${id} on ${accountId} (accounts.${accountId}.access.allow)`);
}

function metLine(group: MetGroup, accounts: readonly GroupRules[]): string {
  const { accountId, conversationId, messages, lastAt, allowedAt } = group;
  const name = groupWords(group);
  const rules = accounts.find((account) => account.accountId === accountId);
  if (rules?.groups === "off") return `not let in   ${name}: accounts.${accountId}.access.groups is off`;
  if (allowedAt !== undefined) return `let in       ${name}, since ${timeOf(allowedAt)} by command`;
  if (rules?.groups === "open" || rules?.listed.includes(conversationId))
    return `let in       ${name}, by the configuration`;
  if (group.decision === "left")
    return `not let in   ${name}: left, as an owner decided; to let it in, add the bot there again`;
  const count = messages === 1 ? "1 message" : messages >= 1_000 ? "1,000 messages or more" : `${messages} messages`;
  const id = accounts.length > 1 ? `${accountId}/${conversationId}` : conversationId;
  const vain = messages === 0 ? "" : `${count} in vain, the last at ${timeOf(lastAt)}; `;
  return `not let in   ${name}: ${vain}to let it in: \`talaria groups allow ${typedWord(id)}\``;
}

function timeOf(instant: string): string {
  return `${instant.slice(0, 19)}Z`;
}
