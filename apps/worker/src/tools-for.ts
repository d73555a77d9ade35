import { askersOf, type Tool, type TranscriptEntry } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { rightsOf } from "@talaria/policy";
import type { AccountId, Conversation, MessageCapabilities } from "@talaria/protocol";
import { createSearch, createToolsets, type SearchConfig, type WebPowers } from "@talaria/tools";
import type { Workspaces } from "./workspaces.ts";

export interface ToolsForOptions {
  readonly web: TalariaConfig["web"];
  readonly workspaces: Pick<Workspaces, "usable">;
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
}

/** The tools of a turn: those that its weakest asker may have where the answer goes. */
export type ToolsFor = (route: Conversation, journal: readonly TranscriptEntry[]) => Promise<readonly Tool[]>;

export function createToolsFor({ web, workspaces, capabilitiesOf }: ToolsForOptions): ToolsFor {
  const powers = { ...(web.enabled ? { web: webPowers(web) } : {}) };
  const without = createToolsets({ ...powers, workspace: false });
  const within = createToolsets({ ...powers, workspace: true });
  return async (route, journal) => {
    const askers = askersOf(journal).map(({ sender, role }) => ({ role, assurance: sender.assurance }));
    const { send } = await capabilitiesOf(route.accountId);
    const place = { conversation: route, role: rightsOf(askers), ...(send === undefined ? {} : { send }) };
    const full = within(place);
    // The sandbox is tried only for those who would get something of it.
    if (full.length === without(place).length) return full;
    return (await workspaces.usable()) ? full : without(place);
  };
}

function webPowers({ search }: TalariaConfig["web"]): WebPowers {
  return search === undefined ? {} : { search: createSearch(search as SearchConfig) };
}
