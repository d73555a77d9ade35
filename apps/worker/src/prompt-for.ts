import {
  assemblePrompt,
  type BrokenWorkspace,
  needsWorkspace,
  type PromptWorkspace,
  type TranscriptEntry,
} from "@talaria/agent";
import { hostsOf, type TalariaConfig } from "@talaria/config";
import type {
  AccountId,
  Conversation,
  MessageCapabilities,
  Platform,
  Role,
  Sender,
  SessionKey,
} from "@talaria/protocol";
import { troubleWords } from "@talaria/sandbox";
import { createToolsets } from "@talaria/tools";
import { commandReach } from "./command-reach.ts";
import type { KeptSkills } from "./skills.ts";
import { placeOf } from "./tools-for.ts";
import type { Workspaces } from "./workspaces.ts";
import { writingHint } from "./writing-hint.ts";

export interface PromptForDeps {
  readonly config: Pick<TalariaConfig, "agent" | "models" | "sandbox">;
  readonly workspaces: Pick<Workspaces, "usable" | "state">;
  readonly capabilitiesOf: (accountId: AccountId) => Promise<MessageCapabilities>;
  /** What the platform's module says about writing there. */
  readonly hintOf: (platform: Platform) => Promise<string | undefined>;
  /** What the session's own folder says to agents. */
  readonly firstInstructions: (sessionKey: SessionKey) => Promise<string>;
  /** Absent: there are none. */
  readonly skills?: Pick<KeptSkills, "catalogue">;
}

/**
 * Builds the prompt of a memory's first turn, but for what is kept beyond it; the answer goes to `route`. `journal` is what was said in it, `first` who began.
 * Waits for the trial of the sandbox where one who asks gets something of it: so does the choice of their tools.
 */
export type PromptFor = (
  sessionKey: SessionKey,
  conversation: Conversation,
  route: Pick<Conversation, "accountId">,
  journal: readonly TranscriptEntry[],
  first?: Sender,
) => Promise<string>;

export function createPromptFor(deps: PromptForDeps): PromptFor {
  const { config, workspaces, capabilitiesOf, hintOf, firstInstructions, skills } = deps;
  const { agent, models, sandbox } = config;
  const toolsWithin = createToolsets({ workspace: true });
  const skillsOf = createToolsets({ workspace: false, skills: { read: neverRead } });
  return async (sessionKey, conversation, { accountId }, journal, person) => {
    const shared = conversation.kind !== "direct";
    const model = models[agent.model]?.model;
    const place = placeOf(conversation, journal);
    const works = toolsWithin(place).some((tool) => needsWorkspace(tool) && tool.effect === "write");
    const isThere = works && (await workspaces.usable());
    const isBroken = works && !isThere && sandbox.backend !== "off";
    const prompt = assemblePrompt({
      agentName: agent.name,
      ...(model === undefined ? {} : { model }),
      instructions: agent.instructions,
      platformHint: writingHint(await capabilitiesOf(accountId), await hintOf(conversation.platform)),
      shared,
      conversation,
      ...(person === undefined || shared ? {} : { person }),
      ...(isThere ? { workspace: workspaceIn(sandbox, workspaces.state) } : {}),
      ...(isBroken ? { broken: brokenFor(place.role, workspaces.state) } : {}),
    });
    const mayRead = skillsOf(place).some(({ name }) => name === "skill");
    const later = [firstInstructions(sessionKey), mayRead ? skills?.catalogue(conversation) : ""];
    return [prompt, ...(await Promise.all(later))].filter((part) => part !== undefined && part !== "").join("\n\n");
  };
}

const neverRead = () => Promise.reject(new Error("this tool is only asked for"));

function workspaceIn(sandbox: TalariaConfig["sandbox"], state: Workspaces["state"]): PromptWorkspace {
  const { memoryMb, quotaMb, background } = sandbox.limits;
  const { folder, programs = [] } = state ?? {};
  return {
    ...(folder === undefined ? {} : { folder }),
    programs,
    network: networkOf(sandbox),
    limits: { memoryMb, quotaMb, background },
  };
}

function brokenFor(role: Role, state: Workspaces["state"]): BrokenWorkspace {
  return role === "owner" && state !== undefined ? { trouble: troubleWords(state) } : {};
}

function networkOf(sandbox: TalariaConfig["sandbox"]): PromptWorkspace["network"] {
  if (sandbox.backend === "sandbox") return hostsOf(sandbox.network);
  return commandReach(sandbox)?.hasNetwork === true ? "open" : "none";
}
