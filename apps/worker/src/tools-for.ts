import { askersOf, needsWorkspace, type Tool, type TranscriptEntry } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import { placeOf as policyPlaceOf, rightsOf } from "@talaria/policy";
import { type AccountId, isAtLeast, type MessageCapabilities, mandateOf, type Role, rolesIn } from "@talaria/protocol";
import {
  createSearch,
  createToolsets,
  type GuardedFetch,
  type MediaPowers,
  type Powers,
  type SecretHandle,
  type ToolFiles,
  type ToolPlace,
  type WebPowers,
} from "@talaria/tools";
import type { BrowserKeeper } from "./browsers.ts";
import type { ClaimedTurn } from "./claimed-turn.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { KeptSkills, SkillPlace } from "./skills.ts";
import type { Workspaces } from "./workspaces.ts";

export interface ToolsForOptions {
  readonly web: TalariaConfig["web"];
  /** Gets the addresses that the model names. Default: those of the public internet. */
  readonly fetch?: GuardedFetch;
  readonly media: MediaPowers;
  /** Facts are kept beyond sessions. Default: they aren't. */
  readonly facts?: boolean;
  /** Absent: there are none. */
  readonly skills?: KeptSkills;
  /** What commands may use without seeing it. */
  readonly secrets: readonly SecretHandle[];
  /** Default: nothing is known. See `closedHosts`. */
  readonly isClosedHost?: (host: string) => Promise<boolean>;
  readonly workspaces: Pick<Workspaces, "usable">;
  /** Tools of servers, as the prompt was first shown them. Absent: there are no servers. */
  readonly frozen?: (kept: string | undefined) => Promise<ToolsOfTurn>;
  /** Which of those, and of the operator's own, somebody has. */
  readonly offered: OfferedTools;
  /** The operator's own. */
  readonly toolFiles: Pick<ToolFiles, "tools">;
  /** Absent: disabled. */
  readonly browsers?: Pick<BrowserKeeper, "usable">;
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
}

export interface ToolsOfTurn {
  readonly tools: readonly Tool[];
  /** What the prompt is shown of servers from now on: has to be kept with it, and handed in again. Absent: as before. */
  readonly keep?: string;
}

/** The tools of a turn: those that its weakest asker may have in this conversation. `kept`: see `keep`. */
export type ToolsFor = (
  turn: Pick<ClaimedTurn, "conversation" | "route">,
  journal: readonly TranscriptEntry[],
  kept: string | undefined,
) => Promise<ToolsOfTurn>;

export function createToolsFor(options: ToolsForOptions): ToolsFor {
  const {
    web,
    fetch,
    media,
    facts = false,
    skills,
    secrets,
    workspaces,
    browsers,
    frozen,
    offered,
    toolFiles,
    capabilitiesOf,
  } = options;
  const powers = {
    ...{ media, secrets, facts },
    ...(web.enabled ? { web: webPowers(web, fetch) } : {}),
    ...(options.isClosedHost && { isClosedHost: options.isClosedHost }),
  };
  const setsWith = (more: Pick<Powers, "browser" | "skills">) => ({
    without: createToolsets({ ...powers, ...more, workspace: false }),
    within: createToolsets({ ...powers, ...more, workspace: true }),
  });
  /** By whether there are a browser and skills. */
  const made = new Map<string, ReturnType<typeof setsWith>>();
  const setsFor = async (role: Role, conversation: SkillPlace) => {
    // The browser, as the sandbox, is tried only for those who would get something of it.
    const [browser, hasSkills] = await Promise.all([
      isAtLeast(role, "member") ? browsers?.usable() : undefined,
      (isAtLeast(role, "member") && skills?.hasAny(conversation)) ?? false,
    ]);
    const key = `${browser !== undefined} ${hasSkills}`;
    const sets = made.get(key) ?? setsWith({ ...(browser && { browser }), ...(skills && hasSkills && { skills }) });
    made.set(key, sets);
    return sets;
  };
  return async ({ conversation, route }, journal, kept) => {
    const { send } = await capabilitiesOf(route.accountId);
    const place = { ...placeOf(conversation, journal), ...(send === undefined ? {} : { send }) };
    const { without, within } = await setsFor(place.role, conversation);
    const full = within(place);
    const { tools: served, keep } = await servedTo(place, offered, isOfServerIn, async () => frozen?.(kept));
    const taken = new Set(["find_tools", "call_tool", ...[...full, ...served].map(({ name }) => name)]);
    const files = await toolFiles.tools(taken);
    const { tools: own } = await servedTo(place, offered, isOwnIn, async () => ({ tools: files }));
    const added = [...served, ...own];
    // The sandbox is tried only for those who would get something of it.
    const needsIt = full.length > without(place).length || added.some(needsWorkspace);
    const isWithin = needsIt && (await workspaces.usable());
    const tools = isWithin
      ? [...full, ...added]
      : [...without(place), ...added.filter((tool) => !needsWorkspace(tool))];
    return { tools, ...(keep === undefined ? {} : { keep }) };
  };
}

/** Where those ask whose words are in the journal, without what the platform can do there. */
export function placeOf(conversation: ToolPlace["conversation"], journal: readonly TranscriptEntry[]) {
  const asking = askersOf(journal);
  const only = mandateOf(asking)?.toolsets;
  return { conversation, role: rightsOf(rolesIn(asking)), ...(only && { only }) };
}

/** No name of a server has a `_`. */
function isOfServerIn(toolsets: readonly string[], { name }: Tool): boolean {
  return toolsets.some((toolset) => name.startsWith(`${toolset}_`));
}

function isOwnIn(toolsets: readonly string[]): boolean {
  return toolsets.includes("own");
}

/** A route that acts for an owner has those that it names. */
async function servedTo(
  { conversation, role, only }: Pick<ToolPlace, "conversation" | "role" | "only">,
  offered: OfferedTools,
  isNamedIn: (toolsets: readonly string[], tool: Tool) => boolean,
  frozen: () => Promise<ToolsOfTurn | undefined>,
): Promise<ToolsOfTurn> {
  const shown = offered.mayHaveAny(role) ? await frozen() : undefined;
  if (shown === undefined) return { tools: [] };
  if (only !== undefined) return { ...shown, tools: shown.tools.filter((tool) => isNamedIn(only, tool)) };
  const asking = { place: policyPlaceOf(conversation), role };
  return { ...shown, tools: shown.tools.filter((tool) => offered.has(tool, asking)) };
}

function webPowers({ search }: TalariaConfig["web"], fetch: GuardedFetch | undefined): WebPowers {
  return {
    ...(fetch === undefined ? {} : { fetch }),
    ...(search === undefined ? {} : { search: createSearch(search) }),
  };
}
