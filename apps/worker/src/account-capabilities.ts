import {
  type AccountId,
  type Clock,
  type Log,
  type MessageCapabilities,
  messageCapabilitiesSchema,
} from "@talaria/protocol";
import type { AccountStore } from "@talaria/store";

/** A restarted gateway may report something else. A minute's delay does no harm. */
const freshMs = 60_000;

/** Used while no gateway has reported capabilities: short plain text, which every platform shows. */
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
 * Returns what messages of an account may contain, as its gateway stored it. Asks the store at most once a minute;
 * rejects when the store does.
 */
export function createCapabilitiesReader(
  deps: AccountCapabilitiesDeps,
): (accountId: AccountId) => Promise<MessageCapabilities> {
  const known = new Map<AccountId, { readonly capabilities: MessageCapabilities; readonly until: number }>();
  return async (accountId) => {
    const now = deps.clock.elapsed();
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
