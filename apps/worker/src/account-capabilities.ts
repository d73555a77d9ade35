import {
  type AccountId,
  type Clock,
  type Log,
  type MessageCapabilities,
  messageCapabilitiesSchema,
} from "@talaria/protocol";
import type { AccountStore } from "@talaria/store";

/** A gateway that is started anew may say something else; nobody needs that at once. */
const freshMs = 60_000;

/** Where nobody has said what a platform can do: short plain text, which every platform shows. */
export const carefulCapabilities: MessageCapabilities = {
  maxTextLength: 2_000,
  formatting: { headings: false, tables: false, codeBlocks: false, links: false },
};

export interface AccountCapabilitiesDeps {
  readonly accounts: Pick<AccountStore, "capabilities">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Says what messages of an account may hold, as its gateway has stored it. Asks the store once a minute at most, and
 * rejects when that does.
 */
export function createCapabilitiesReader(
  deps: AccountCapabilitiesDeps,
): (accountId: AccountId) => Promise<MessageCapabilities> {
  const known = new Map<AccountId, { readonly capabilities: MessageCapabilities; readonly until: number }>();
  return async (accountId) => {
    const now = deps.clock.now();
    const last = known.get(accountId);
    if (last !== undefined && now < last.until) return last.capabilities;
    const capabilities = await read(accountId, deps);
    known.set(accountId, { capabilities, until: now + freshMs });
    return capabilities;
  };
}

async function read(accountId: AccountId, { accounts, log }: AccountCapabilitiesDeps): Promise<MessageCapabilities> {
  const { success, data } = messageCapabilitiesSchema.safeParse(await accounts.capabilities(accountId));
  if (success) return data;
  log.warn(
    { accountId },
    "the account's gateway says nothing readable of its platform: answers are plain and carry no files",
  );
  return carefulCapabilities;
}
