import type { TalariaConfig } from "@talaria/config";
import { lacksOwner } from "./write-account.ts";

/** What an operator reads while accounts have nobody who is an owner. Undefined: there is one, or nobody writes from a platform. */
export async function ownerNote(
  configFile: string,
  { accounts }: Pick<TalariaConfig, "accounts">,
): Promise<string | undefined> {
  const [first] = Object.entries(accounts);
  if (first === undefined || !(await lacksOwner(configFile))) return undefined;
  const [name, { platform }] = first;
  return `nobody is an owner, so that nobody is asked about strangers, groups and approvals: \`${setupOf(platform, name)}\` makes somebody one, and leaves the account as it is`;
}

/** What `talaria setup` shows beside accounts that are done, while nobody owns the agent on a platform of theirs. Empty: somebody does. */
export function ownerHint({ accounts, owners }: Pick<TalariaConfig, "accounts" | "owners">): string {
  const platforms = new Set(owners.map((owner) => owner.split(":")[0]));
  const lacking = Object.entries(accounts).find(([, { platform }]) => !platforms.has(platform));
  if (lacking === undefined) return "";
  const [name, { platform }] = lacking;
  if (owners.length === 0) return `; nobody is an owner yet: \`${setupOf(platform, name)}\``;
  return `; nobody is an owner on ${platform}: owners takes the id that /whoami shows them`;
}

/** The command that sets an account up, and that offers it again to make somebody the owner. */
export function setupOf(platform: string, name: string): string {
  return `talaria setup ${platform}${name === `${platform}-main` ? "" : ` --account ${name}`}`;
}
