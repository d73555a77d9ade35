import { askersOf, needsWorkspace, type Tool, type TranscriptEntry } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { rightsOf } from "@talaria/policy";
import { type AccountId, type Conversation, isAtLeast, type MessageCapabilities, type Role } from "@talaria/protocol";
import { createSearch, createToolsets, type MediaPowers, type ToolFiles, type WebPowers } from "@talaria/tools";
import type { Workspaces } from "./workspaces.ts";

export interface ToolsForOptions {
  readonly web: TalariaConfig["web"];
  readonly media: MediaPowers;
  readonly workspaces: Pick<Workspaces, "usable">;
  /** Tools of servers that are connected now. */
  readonly served: () => readonly Tool[];
  /** The operator's own. */
  readonly toolFiles: Pick<ToolFiles, "tools">;
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
}

/** The tools of a turn: those that its weakest asker may have where the answer goes. */
export type ToolsFor = (route: Conversation, journal: readonly TranscriptEntry[]) => Promise<readonly Tool[]>;

export function createToolsFor({
  web,
  media,
  workspaces,
  served,
  toolFiles,
  capabilitiesOf,
}: ToolsForOptions): ToolsFor {
  const powers = { media, ...(web.enabled ? { web: webPowers(web) } : {}) };
  const without = createToolsets({ ...powers, workspace: false });
  const within = createToolsets({ ...powers, workspace: true });
  return async (route, journal) => {
    const askers = askersOf(journal).map(({ sender, role }) => ({ role, assurance: sender.assurance }));
    const { send } = await capabilitiesOf(route.accountId);
    const place = { conversation: route, role: rightsOf(askers), ...(send === undefined ? {} : { send }) };
    const full = within(place);
    const taken = new Set(["find_tools", "call_tool", ...[...full, ...served()].map(({ name }) => name)]);
    const added = servedTo(place, [...served(), ...(await toolFiles.tools(taken))]);
    // The sandbox is tried only for those who would get something of it.
    const needsIt = full.length > without(place).length || added.some(needsWorkspace);
    const isWithin = needsIt && (await workspaces.usable());
    return isWithin ? [...full, ...added] : [...without(place), ...added.filter((tool) => !needsWorkspace(tool))];
  };
}

/** Owners and members have them: in a direct conversation all, elsewhere those that only look. */
function servedTo({ conversation, role }: { conversation: Conversation; role: Role }, tools: readonly Tool[]) {
  if (!isAtLeast(role, "member")) return [];
  const isPrivate = conversation.kind === "direct" && conversation.platform !== "webhook";
  return isPrivate ? tools : tools.filter(({ effect }) => effect === "read");
}

function webPowers({ search }: TalariaConfig["web"]): WebPowers {
  return search === undefined ? {} : { search: createSearch(search) };
}
