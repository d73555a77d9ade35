import { randomUUID } from "node:crypto";
import { filesOf } from "@talaria/agent";
import { type Caller, serveStdio } from "@talaria/mcp";
import { brandAs, type Role, type SessionKey, type TurnId } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { carefulCapabilities } from "./account-capabilities.ts";
import { createAuthorise } from "./authorise.ts";
import { CallerJournal } from "./caller-journal.ts";
import { commandReach } from "./command-reach.ts";
import { toolMedia } from "./media-reader.ts";
import { createToolSources, type ToolSettings, type ToolSources, toolsFrom } from "./tool-sources.ts";

/** The first request waits so long for MCP servers that are being connected. */
const connectingMs = 5_000;
const lookMs = 50;
const maxToolOutputChars = 100_000;

/** They mean a conversation with people, or a model of ours. */
const notServed: ReadonlySet<string> = new Set([
  ...["conversation_info", "offer_choices", "ask", "find_conversations", "send_message"],
  ...["todo", "execute_code"],
]);

export interface McpServingOptions extends ToolSettings {
  readonly store: Pick<Store, "logins" | "media">;
  readonly caller: { readonly name: string; readonly role: Role };
  /** By it the caller's files are found again. No other process has the same one now. */
  readonly workspace: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/**
 * Our tools over MCP for one caller, in this process: those of a direct conversation with somebody of that role, decided by the same
 * policy, except that nobody is there to be asked. `ended` resolves when the caller has gone.
 */
export async function serveMcp(
  options: McpServingOptions,
): Promise<{ readonly ended: Promise<void>; stop(): Promise<void> }> {
  const { config, clock, log, version, stdin, stdout } = options;
  const sources = await createToolSources(options);
  sources.mcp?.start();
  const isConnected = serversConnected(sources, options);
  const callerNow = callerOf(options, sources);
  const serving = await serveStdio({
    clock,
    log,
    version,
    maxToolOutputChars,
    callsPerMinute: config.mcp.serve.callsPerMinute,
    newCallId: () => randomUUID(),
    stdin,
    stdout,
    caller: async () => {
      await isConnected;
      return await callerNow();
    },
  });
  return {
    ended: serving.ended,
    stop: async () => {
      await serving.stop();
      await sources.stop();
    },
  };
}

/** The caller as of now: tools come and go, and what has been heard counts for what may follow. */
function callerOf(options: McpServingOptions, sources: ToolSources): () => Promise<Caller> {
  const { config, store, caller, clock, workspace } = options;
  const toolsFor = toolsFrom(options, sources, async () => carefulCapabilities);
  const commands = commandReach(config.sandbox);
  const authorise = createAuthorise({ policy: config.policy, ...(commands && { commands }), clock });
  const journal = new CallerJournal(caller, clock.now());
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
  return async () => {
    const { tools: all } = await toolsFor({ conversation, route: conversation }, journal.entries, undefined);
    const tools = all.filter(({ name }) => !notServed.has(name));
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return {
      id: caller.name,
      tools,
      context: { ...context, files: filesOf(journal.entries) },
      openWorkspace: () => sources.workspaces.open(sessionKey),
      refusal: async (tool, input, call) => {
        const asked = { tool, call, input, conversation, tools: byName, history: [], journal: journal.entries };
        const verdict = authorise(asked, { grants: [], homes: [] });
        if (verdict.decision === "allow") return undefined;
        if (verdict.decision === "deny") return `Error: not allowed. ${verdict.reason}`;
        return needsPerson(verdict.approver, verdict.rule);
      },
      heard: (result) => journal.add(result),
    };
  };
}

function needsPerson(approver: Role, rule: string): string {
  return (
    `Error: not run. By the rule "${rule}" this has to be approved by somebody with the role ${approver}, and nobody can be asked ` +
    "over MCP. Do not try again; say that the operator can allow it with a rule in policy.rules."
  );
}

/** Resolves when no server is being connected any more, or the time is over. */
async function serversConnected({ mcp }: ToolSources, { clock }: Pick<ToolSettings, "clock">): Promise<void> {
  const until = clock.elapsed() + connectingMs;
  while (mcp?.status().some(({ state }) => state === "connecting") && clock.elapsed() < until)
    await clock.sleep(lookMs);
}
