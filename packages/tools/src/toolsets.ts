import type { Tool } from "@talaria/agent";
import { type Conversation, isAtLeast, type MessageCapabilities, type Role, roles } from "@talaria/protocol";
import { ask } from "./ask.ts";
import type { Browsers } from "./browser/browsers.ts";
import { createBrowserTools } from "./browser/index.ts";
import { builtinTools, oneAnswerTools } from "./builtin-tools.ts";
import { createCodeTools } from "./code/index.ts";
import { withDoing } from "./doing.ts";
import { factTools } from "./facts/index.ts";
import { fileTools } from "./files/index.ts";
import { createMediaTools } from "./media/index.ts";
import type { MediaPowers } from "./media/ports.ts";
import { messageTools, pastTools } from "./messages/index.ts";
import { planTools } from "./plan/index.ts";
import type { SecretHandle } from "./secrets/secret-handle.ts";
import { createSkillTools } from "./skills/index.ts";
import type { Skills } from "./skills/ports.ts";
import { writeSkill } from "./skills/write-skill.ts";
import { type IsClosedHost, withHostObstacle } from "./terminal/host-obstacle.ts";
import { terminalTools } from "./terminal/index.ts";
import { createRunWithSecrets } from "./terminal/run-with-secrets.ts";
import { createWebTools, type WebPowers } from "./web/index.ts";

/** What this installation has. */
export interface Powers {
  /** A sandbox backend works here: contexts have a workspace. */
  readonly workspace: boolean;
  /** Absent: switched off. */
  readonly web?: WebPowers;
  /** Absent: switched off, or it can't run here. */
  readonly browser?: Browsers;
  readonly media?: MediaPowers;
  /** Facts and skills are kept beyond sessions. Absent: switched off. */
  readonly facts?: boolean;
  /** Absent: there are none. */
  readonly skills?: Skills;
  /** What may be used without being seen. Commands have it with a workspace alone. */
  readonly secrets?: readonly SecretHandle[];
  /** Absent: nothing is known of a host before a command asks for it. */
  readonly isClosedHost?: IsClosedHost;
}

export interface ToolPlace extends Pick<MessageCapabilities, "send"> {
  readonly conversation: Pick<Conversation, "kind" | "platform" | "guest">;
  /** Of the weakest who may ask here. Take one that stays: other tools are another beginning of every request to the model. */
  readonly role: Role;
  /** The account's own choice: names of toolsets or of tools. `deny` wins. */
  readonly setting?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Of a webhook's route that acts for an owner: its toolsets. There are no others, but what everybody has and writes nothing. */
  readonly only?: readonly string[];
}

/** What everybody has who talks with the agent. */
const forEverybody: ReadonlySet<string> = new Set(["conversation", "plan"]);

/** What a group has of its own, it may also change. */
const inGroups: ReadonlySet<string> = new Set(["memory", "skills"]);

/** What is kept of whoever speaks, and by whom. */
const keeps: ReadonlySet<string> = new Set(["memory", "recall", "write_skill"]);

/** What they read is nothing for others who read along. */
const inPrivate: ReadonlySet<string> = new Set(["messages"]);

/**
 * Chooses the tools of a conversation. Owners and members have all in a direct conversation; in groups and for webhooks only what
 * writes nothing, besides the memory of a group and its skills, unless the account allows more by name. Guests have the toolsets `conversation` and `plan`, and of what the account
 * allows by name only what writes nothing; whoever is unverified has `conversation` alone. Tools are made once: the same place
 * gives the same ones. A route that acts for an owner has what it names.
 */
export function createToolsets({
  workspace,
  web,
  browser,
  media,
  facts = false,
  skills,
  secrets = [],
  isClosedHost,
}: Powers): (place: ToolPlace) => readonly Tool[] {
  const browsing = browser === undefined ? [] : createBrowserTools(browser);
  const withObstacle = withHostObstacle(isClosedHost);
  const kept = [...(skills === undefined ? [] : createSkillTools(skills)), ...(facts ? [writeSkill] : [])];
  const making = media === undefined ? [] : createMediaTools(media);
  const setsWith = (
    usable: readonly SecretHandle[],
  ): readonly (readonly [toolset: string, tools: readonly Tool[]])[] => [
    ["plan", planTools],
    ["messages", messageTools],
    ["past", pastTools],
    ["files", workspace ? fileTools : []],
    ["terminal", workspace ? terminalTools : []],
    ["code", workspace ? createCodeTools(usable) : []],
    ["web", web === undefined ? [] : createWebTools(web, usable)],
    ["browser", browsing],
    ["media", making],
    ["memory", facts ? factTools : []],
    ["skills", kept],
    ["secrets", workspace ? secretTools(usable) : []],
  ];
  const plain = setsWith([]);
  const withSecrets = new Map(
    roles.map((role) => {
      const usable = secrets.filter((secret) => isAtLeast(role, secret.role));
      return [role, usable.length === 0 ? plain : setsWith(usable)];
    }),
  );
  return ({ send, ...place }) => {
    const isOneAnswer = place.conversation.guest === true;
    const reads = workspace && fileTools.some((tool) => isOffered("files", tool, place));
    const powers = { ...(send !== undefined && { send }), workspace: reads };
    const talking = isOneAnswer ? oneAnswerTools : [ask, ...builtinTools(powers)];
    const usable = isOffered("secrets", usesSecrets, place) ? withSecrets.get(place.role) : undefined;
    const all = [["conversation", talking] as const, ...(usable ?? plain)];
    const offered = all.flatMap(([toolset, tools]) => tools.filter((tool) => isOffered(toolset, tool, place)));
    return offered.map(withObstacle).map(withDoing);
  };
}

/** Whoever acts in the operator's name changes something, whichever tool it is done with. */
const usesSecrets = { name: "secrets", effect: "write" } as const;

function secretTools(usable: readonly SecretHandle[]): readonly Tool[] {
  const [first, ...others] = usable.filter(({ isForCommands }) => isForCommands);
  return first === undefined ? [] : [createRunWithSecrets([first, ...others])];
}

function isOffered(
  toolset: string,
  { name, effect }: Pick<Tool, "name" | "effect">,
  { conversation, role, setting = {}, only }: Omit<ToolPlace, "send">,
) {
  const isNamedIn = (names: readonly string[] = []) => names.includes(toolset) || names.includes(name);
  if (isNamedIn(setting.deny)) return false;
  if (!isAtLeast(role, "guest")) return toolset === "conversation";
  // There is nobody to keep anything of.
  if (keeps.has(name) && (conversation.platform === "webhook" || conversation.guest === true)) return false;
  const isHarmless = effect === "read";
  if (only !== undefined) return only.includes(toolset) || (isHarmless && forEverybody.has(toolset));
  if (!isAtLeast(role, "member")) return isHarmless && (forEverybody.has(toolset) || isNamedIn(setting.allow));
  if (toolset === "past" && (conversation.platform === "webhook" || conversation.guest === true)) return false;
  const isOfGroup = conversation.kind === "group" && inGroups.has(toolset);
  const isPrivate = conversation.kind === "direct" && conversation.platform !== "webhook";
  return isPrivate || (isHarmless && !inPrivate.has(toolset)) || isOfGroup || isNamedIn(setting.allow);
}
