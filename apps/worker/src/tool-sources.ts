import type { TalariaConfig } from "@talaria/config";
import type { AskPerson, Mcp } from "@talaria/mcp";
import type { Clock, Log } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { createToolFiles, type GuardedFetch, type ToolFiles } from "@talaria/tools";
import { type BrowserKeeper, createBrowserKeeper } from "./browsers.ts";
import { closedHosts } from "./command-reach.ts";
import { unitPriceOf } from "./create-model-port.ts";
import { createMcpServers } from "./mcp-servers.ts";
import { mediaPowers } from "./media-powers.ts";
import { createOfferedTools } from "./offered-tools.ts";
import { secretHandles } from "./secret-handles.ts";
import { createSkills, type KeptSkills } from "./skills.ts";
import { createToolsFor, type ToolsFor, type ToolsForOptions } from "./tools-for.ts";
import { createWorkspaces, type Workspaces } from "./workspaces.ts";

/** What tools are made of, and what they reach. */
export interface ToolSettings {
  readonly config: TalariaConfig;
  /** Of this release. */
  readonly version: string;
  /** Where the workspaces of sessions lie. */
  readonly workspaceFolder: string;
  /** Where the operator's own tools lie. It need not be there. */
  readonly toolFolder: string;
  /** Where the operator's skills lie. It need not be there. */
  readonly skillFolder: string;
  /** Folders of this installation that no command may read. */
  readonly hiddenFolders: readonly string[];
  /** Gets the addresses that the model names. Default: those of the public internet. */
  readonly fetch?: GuardedFetch;
  readonly store: Pick<Store, "logins" | "skills">;
  /** Asks people what servers want to know in the middle of a call. Absent: servers are told that nobody answers. */
  readonly askPerson?: AskPerson;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

export interface ToolSources {
  readonly workspaces: Workspaces;
  readonly browsers: BrowserKeeper;
  /** Absent: none is configured. Not started yet. */
  readonly mcp: Mcp | undefined;
  readonly toolFiles: ToolFiles;
  readonly skills: KeptSkills;
  stop(): Promise<void>;
}

/** Everything of a process that tools run in. Nothing of it is tried or connected to yet. */
export async function createToolSources(options: ToolSettings): Promise<ToolSources> {
  const { config, clock, random, log, version } = options;
  const workspaces = createWorkspaces({
    config: config.sandbox,
    agentName: config.agent.name,
    folder: options.workspaceFolder,
    hidden: options.hiddenFolders,
    clock,
    log,
  });
  const browsers = createBrowserKeeper({
    config: config.browser,
    hidden: [...options.hiddenFolders, options.workspaceFolder],
    clock,
    log,
  });
  const mcp = await createMcpServers(config.mcp, {
    clock,
    random,
    log,
    version,
    workspaces,
    ...(options.askPerson === undefined ? {} : { askPerson: options.askPerson }),
    login: { store: options.store.logins, remedy: (server) => `run \`talaria mcp login ${server}\`` },
  });
  const secrets = secretHandles(config.sandbox);
  const toolFiles = createToolFiles({ folder: options.toolFolder, secrets, clock, log });
  return {
    workspaces,
    browsers,
    mcp,
    toolFiles,
    skills: createSkills({
      ...{ folder: options.skillFolder, store: options.store.skills, clock, log },
      isMemoryOff: !config.memory.enabled,
    }),
    stop: async () => {
      // First, since servers over stdio run in the sandbox.
      await mcp?.stop();
      await Promise.all([workspaces.stop(), browsers.stop(), toolFiles.stop()]);
    },
  };
}

export function toolsFrom(
  { config, fetch, clock, log }: ToolSettings,
  { workspaces, browsers, mcp, toolFiles, skills }: ToolSources,
  capabilitiesOf: ToolsForOptions["capabilitiesOf"],
): ToolsFor {
  return createToolsFor({
    web: config.web,
    ...(fetch === undefined ? {} : { fetch }),
    media: mediaPowers(config, { clock, log }, unitPriceOf(config)),
    facts: config.memory.enabled,
    skills,
    secrets: secretHandles(config.sandbox),
    ...closedHosts(config.sandbox),
    workspaces,
    browsers,
    ...(mcp === undefined ? {} : { frozen: (kept) => mcp.frozen(kept) }),
    offered: createOfferedTools(config),
    toolFiles,
    capabilitiesOf,
  });
}

/** For whoever asks why the agent lacks a tool. */
export function toolFileTroubles({ toolFiles: { problems } }: ToolSources) {
  return problems.length === 0 ? {} : { toolFiles: problems };
}
