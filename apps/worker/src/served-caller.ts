import { type AskedCall, filesOf, type Tool } from "@talaria/agent";
import type { Caller } from "@talaria/mcp";
import { brandAs, type Role, type SessionKey, type TurnId } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { carefulCapabilities } from "./account-capabilities.ts";
import { createAuthorise, hasTaint } from "./authorise.ts";
import { callerFiles } from "./caller-files.ts";
import { CallerJournal } from "./caller-journal.ts";
import { commandReach } from "./command-reach.ts";
import { toolMedia } from "./media-reader.ts";
import { needsPerson } from "./needs-person.ts";
import { type ToolSettings, type ToolSources, toolsFrom } from "./tool-sources.ts";

/** Of one result, for callers over MCP. */
export const maxServedChars = 100_000;
/** The first request waits so long for MCP servers that are being connected. */
const connectingMs = 5_000;
const lookMs = 50;

/** They mean a conversation with people, or a model of ours. */
const notServed: ReadonlySet<string> = new Set([
  ...[
    "conversation_info",
    "offer_choices",
    "ask",
    "find_conversations",
    "send_message",
    "memory",
    "recall",
    "write_skill",
  ],
  ...["search_conversations", "todo", "execute_code"],
]);

export interface ServedCaller {
  readonly caller: { readonly name: string; readonly role: Role };
  /** By it the caller's files are found again. No other process has the same one now. */
  readonly workspace: string;
  /** Tools that have brought untrusted content before. */
  readonly heard?: readonly string[];
  /** Keeps that a tool has brought some, before the caller has it. */
  hears?(tool: string): Promise<void>;
}

/**
 * A caller as of now: tools come and go, and what has been heard counts for what may follow. The tools are those of a direct
 * conversation with somebody of that role, decided by the same policy, except that nobody is there to be asked.
 */
export function servedCaller(
  options: ToolSettings & { readonly store: Pick<Store, "fileTaint" | "media"> },
  sources: ToolSources,
  { caller, workspace, heard = [], hears }: ServedCaller,
): () => Promise<Caller> {
  const { config, store, clock } = options;
  const toolsFor = toolsFrom(options, sources, async () => carefulCapabilities);
  const commands = commandReach(config.sandbox);
  const authorise = createAuthorise({ policy: config.policy, ...(commands && { commands }), clock });
  const journal = new CallerJournal(caller, clock.now(), heard);
  const { conversation, sender } = journal;
  const sessionKey = brandAs<SessionKey>(workspace);
  const context = {
    sessionKey,
    turnId: brandAs<TurnId>(workspace),
    conversation,
    requesters: [sender],
    participants: [sender],
    roles: new Map([[sender.userId, caller.role]]),
    media: toolMedia(store.media, config.media),
  };
  let byName: ReadonlyMap<string, Tool> = new Map();
  const askedOf = (one: Pick<AskedCall, "tool" | "call" | "input">) => ({
    ...{ ...one, conversation, tools: byName },
    ...{ history: [], journal: journal.entries },
  });
  const { open, files } = callerFiles(
    { workspace: sessionKey, workspaces: sources.workspaces, store: store.fileTaint, commands, log: options.log },
    askedOf,
  );
  return async () => {
    const { tools: all } = await toolsFor({ conversation, route: conversation }, journal.entries, undefined);
    const tools = all.filter(({ name }) => !notServed.has(name));
    byName = new Map(tools.map((tool) => [tool.name, tool]));
    const known = filesOf(journal.entries);
    return {
      id: caller.name,
      tools,
      context: { ...context, files: known },
      open: open(known, context.media),
      files,
      refusal: async (tool, input, call) => {
        const asked = askedOf({ tool, call, input });
        const verdict = authorise(asked, { grants: [], homes: [] });
        if (verdict.decision === "allow") return undefined;
        if (verdict.decision === "deny") return `Error: not allowed. ${verdict.reason}`;
        return needsPerson(verdict, hasTaint(asked, caller.role, { ...(commands && { commands }) }));
      },
      heard: async (result) => {
        journal.add(result);
        if (result.untrusted === true) await hears?.(result.name);
      },
    };
  };
}

/** Resolves when no server is being connected any more, or the time is over. */
export async function serversConnected({ mcp }: ToolSources, { clock }: Pick<ToolSettings, "clock">): Promise<void> {
  const until = clock.elapsed() + connectingMs;
  while (mcp?.status().some(({ state }) => state === "connecting") && clock.elapsed() < until)
    await clock.sleep(lookMs);
}
