import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { callTool, checkCall, type ReplyParts } from "@talaria/agent";
import type { OutboundAttachment } from "@talaria/protocol";
import type { Caller, ToolServerDeps } from "./caller.ts";

const laterText = "Error: this tool answers later, which only the agent itself can wait for.";
const mostCalls = 32;
const mostCallsOfOne = 8;
const mostFileBytes = 4 * 1024 * 1024;

interface WantedCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Runs calls for callers: checked like those of our own model, reads side by side, each caller's writes one after the other.
 * Whatever goes wrong is a result that says so.
 */
export function callerCalls(deps: ToolServerDeps) {
  const running = new Map<string, number>();
  const writes = new Map<string, Promise<unknown>>();
  let all = 0;

  return async (
    caller: Caller,
    wanted: WantedCall,
    signal: AbortSignal,
    progress: (message: string) => void,
  ): Promise<CallToolResult> => {
    const own = running.get(caller.id) ?? 0;
    if (all >= mostCalls || own >= mostCallsOfOne) return failed("Error: too many calls at a time. Try again soon.");
    all += 1;
    running.set(caller.id, own + 1);
    try {
      return await runCall(caller, wanted, signal, progress);
    } finally {
      all -= 1;
      const left = (running.get(caller.id) ?? 1) - 1;
      if (left === 0) running.delete(caller.id);
      else running.set(caller.id, left);
    }
  };

  async function runCall(
    caller: Caller,
    { name, arguments: given = {} }: WantedCall,
    signal: AbortSignal,
    progress: (message: string) => void,
  ): Promise<CallToolResult> {
    const call = { callId: deps.newCallId(), name, arguments: JSON.stringify(given) };
    const tools = new Map(caller.tools.map((tool) => [tool.name, tool]));
    const { requesters } = caller.context;
    // The caller's own rights are asked for below; nobody is there to be asked.
    const authorise = () => ({ decision: "allow" }) as const;
    const checked = checkCall(call, { tools, requesters, stop: "tool_calls", wasStarted: false, authorise });
    if (checked.status === "refused") return failed(checked.reason);
    if (checked.status !== "ready") return failed(laterText);
    const { tool, input } = checked;
    const refusal = await caller.refusal?.(tool, input);
    if (refusal !== undefined) return failed(refusal);
    deps.log.info({ tool: name, caller: caller.id, callId: call.callId }, "tool called over MCP");
    const { clock, log, maxToolOutputChars } = deps;
    const work = async () => {
      if (signal.aborted) return { content: "Cancelled.", isError: true };
      const own = { callId: call.callId, idempotencyKey: call.callId, now: () => clock.now(), progress };
      return await callTool(
        { call, tool, input },
        { ...caller.context, ...own },
        { clock, log, maxToolOutputChars, signal },
      );
    };
    const result = await (tool.effect === "write" ? inTurn(caller.id, work) : work());
    if ("waitsFor" in result) return failed(laterText);
    const parts = "reply" in result && result.reply !== undefined ? await partsOf(result.reply, caller, signal) : [];
    return { content: [{ type: "text", text: result.content }, ...parts], isError: result.isError };
  }

  async function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = writes.get(id) ?? Promise.resolve();
    const mine = before.then(work, work);
    writes.set(id, mine);
    try {
      return await mine;
    } finally {
      if (writes.get(id) === mine) writes.delete(id);
    }
  }
}

/** What would have gone out with a reply of ours. */
async function partsOf(
  { attachments = [], choices }: ReplyParts,
  { context: { media } }: Caller,
  signal: AbortSignal,
): Promise<readonly ContentBlock[]> {
  const files: ContentBlock[] = [];
  for (const file of attachments) files.push(await fileOf(file, media, signal));
  if (choices === undefined) return files;
  const options = choices.options.map(({ label }) => `- ${label}`).join("\n");
  return [...files, { type: "text", text: `${choices.question}\n${options}` }];
}

async function fileOf(
  { ref, name, mimeType }: OutboundAttachment,
  media: Caller["context"]["media"],
  signal: AbortSignal,
): Promise<ContentBlock> {
  const bytes = await media.read(ref, { offset: 0, length: mostFileBytes + 1 }, signal).catch(() => undefined);
  if (bytes === undefined) return { type: "text", text: `[the file "${name}" is not kept any more]` };
  if (bytes.length > mostFileBytes) return { type: "text", text: `[the file "${name}" is too large to be sent here]` };
  const blob = Buffer.from(bytes).toString("base64");
  return { type: "resource", resource: { uri: `talaria:///${encodeURIComponent(name)}`, mimeType, blob } };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
