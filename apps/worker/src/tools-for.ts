import { askersOf, type Tool, type TranscriptEntry } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { rightsOf } from "@talaria/policy";
import { type AccountId, type Conversation, isAtLeast, type MessageCapabilities, type Role } from "@talaria/protocol";
import { type Browsers, createSearch, createToolsets, type SearchConfig, type WebPowers } from "@talaria/tools";
import type { BrowserKeeper } from "./browsers.ts";
import type { Workspaces } from "./workspaces.ts";

export interface ToolsForOptions {
  readonly web: TalariaConfig["web"];
  readonly workspaces: Pick<Workspaces, "usable">;
  /** Absent: switched off. */
  readonly browsers?: Pick<BrowserKeeper, "usable">;
  /** Tools of servers that are connected now. */
  readonly served: () => readonly Tool[];
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
}

/** The tools of a turn: those that its weakest asker may have where the answer goes. */
export type ToolsFor = (route: Conversation, journal: readonly TranscriptEntry[]) => Promise<readonly Tool[]>;

export function createToolsFor({ web, workspaces, browsers, served, capabilitiesOf }: ToolsForOptions): ToolsFor {
  const powers = { ...(web.enabled ? { web: webPowers(web) } : {}) };
  const setsWith = (more: { readonly browser?: Browsers }) => ({
    without: createToolsets({ ...powers, ...more, workspace: false }),
    within: createToolsets({ ...powers, ...more, workspace: true }),
  });
  const plain = setsWith({});
  let browsing: typeof plain | undefined;
  const setsFor = async (role: Role) => {
    // The browser, as the sandbox, is tried only for those who would get something of it.
    const browser = isAtLeast(role, "member") ? await browsers?.usable() : undefined;
    if (browser === undefined) return plain;
    browsing ??= setsWith({ browser });
    return browsing;
  };
  return async (route, journal) => {
    const askers = askersOf(journal).map(({ sender, role }) => ({ role, assurance: sender.assurance }));
    const { send } = await capabilitiesOf(route.accountId);
    const place = { conversation: route, role: rightsOf(askers), ...(send === undefined ? {} : { send }) };
    const { without, within } = await setsFor(place.role);
    const full = within(place);
    const foreign = servedTo(place, served());
    const isWithin = full.length > without(place).length && (await workspaces.usable());
    return [...(isWithin ? full : without(place)), ...foreign];
  };
}

/** Owners and members have them: in a direct conversation all, elsewhere those that only look. */
function servedTo({ conversation, role }: { conversation: Conversation; role: Role }, tools: readonly Tool[]) {
  if (!isAtLeast(role, "member")) return [];
  const isPrivate = conversation.kind === "direct" && conversation.platform !== "webhook";
  return isPrivate ? tools : tools.filter(({ effect }) => effect === "read");
}

function webPowers({ search }: TalariaConfig["web"]): WebPowers {
  return search === undefined ? {} : { search: createSearch(search as SearchConfig) };
}
