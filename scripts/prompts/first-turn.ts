import { renderEntries, type ToolSpec, toolSpecs, type UserEntry } from "@talaria/agent";
import { defaultConfig } from "@talaria/config";
import { hintOf } from "@talaria/platforms";
import { brandAs, type Conversation, instantOf, type Role, type Sender } from "@talaria/protocol";
import { createOfferedTools } from "../../apps/worker/src/offered-tools.ts";
import { createPromptFor } from "../../apps/worker/src/prompt-for.ts";
import { createToolsFor } from "../../apps/worker/src/tools-for.ts";
import { capabilitiesOf } from "../../packages/adapters/telegram/src/capabilities.ts";
import { telegramConfigSchema } from "../../packages/adapters/telegram/src/config.ts";
import { chooseTools } from "../../packages/agent/src/choose-tools.ts";
import { countTokens } from "./count-tokens.ts";

export interface Scene {
  readonly title: string;
  readonly kind: Conversation["kind"];
  readonly role: Role;
}

export const scenes: readonly Scene[] = [
  { title: "An owner, in private", kind: "direct", role: "owner" },
  { title: "A guest, in private", kind: "direct", role: "guest" },
  { title: "An owner, in a group", kind: "group", role: "owner" },
  { title: "A guest, in a group", kind: "group", role: "guest" },
];

export interface FirstTurn {
  readonly system: string;
  readonly message: string;
  /** Of the tools that stand in the request. */
  readonly specs: readonly ToolSpec[];
  /** Of those that `find_tools` finds. */
  readonly found: readonly ToolSpec[];
  readonly tokens: { readonly system: number; readonly tools: number; readonly message: number };
}

/** What the self-test of a sandbox finds on Debian 12 with Node.js 20. */
const selfTest = {
  ...{ isUsable: true, backend: "sandbox", description: "bubblewrap", reasons: [], folder: "/workspace" },
  programs: ["bash 5.2.15", "Python 3.11.2", "Node.js 20.19.2", "git 2.39.5", "npm", "gcc", "make", "ripgrep", "jq"],
};

const workspaces = { usable: async () => true, state: selfTest };

/** The first request of a conversation on Telegram, with the default configuration and a sandbox that works. */
export async function firstTurn({ kind, role }: Scene, model: string): Promise<FirstTurn> {
  const { config } = defaultConfig({});
  const conversation: Conversation = {
    ...{ accountId: brandAs("telegram"), platform: "telegram", kind },
    conversationId: brandAs("123456789"),
  };
  const telegram = telegramConfigSchema.parse({ token: "0:x" });
  const accountCapabilities = async () => capabilitiesOf(telegram);
  const sender: Sender = {
    ...{ userId: brandAs("123456789"), role: "person" },
    displayName: "Ada",
    assurance: "platform",
  };
  const said: UserEntry = {
    ...{ kind: "user", eventId: brandAs("1"), sender, role, attachments: [] },
    ...{ markdown: "What can you do for me?", at: instantOf(Date.parse("2026-11-23T14:05:00.000Z")) },
  };
  const promptFor = createPromptFor({
    config: { ...config, models: { [config.agent.model]: { ...config.models[config.agent.model], model } } } as never,
    workspaces,
    capabilitiesOf: accountCapabilities,
    hintOf,
    firstInstructions: async () => "",
  });
  const toolsFor = createToolsFor({
    ...{ web: config.web, media: {}, facts: true, secrets: [], workspaces, capabilitiesOf: accountCapabilities },
    offered: createOfferedTools(config),
    toolFiles: { tools: async () => [] },
  });
  const system = await promptFor(brandAs("telegram/1"), conversation, conversation, [said], sender);
  const { tools } = await toolsFor({ conversation, route: conversation }, [said], undefined);
  const { shown: inRequest } = chooseTools(tools, [said], config.agent.toolTokens);
  const specs = toolSpecs(inRequest);
  const found = toolSpecs(tools.filter((tool) => !inRequest.includes(tool)));
  const [message] = renderEntries([said], { platform: "telegram", shared: kind !== "direct" });
  const shown = message?.content ?? "";
  const tokens = { system: countTokens(system), tools: countTokens(sentTools(specs)), message: countTokens(shown) };
  return { system, message: shown, specs, found, tokens };
}

/** The tools in a request of the dialect `openai-chat`. */
function sentTools(specs: readonly ToolSpec[]): string {
  return JSON.stringify(specs.map((spec) => ({ type: "function", function: spec })));
}
