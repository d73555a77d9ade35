import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { callTool, checkCall, type ReplyParts } from "@talaria/agent";
import type { OutboundAttachment } from "@talaria/protocol";
import type { Caller, CallSettings } from "./caller.ts";
import { nestsDeeper } from "./nests-deeper.ts";

const laterText = "Error: this tool answers later, which only the agent itself can wait for.";
const minuteMs = 60_000;
const mostCalls = 32;
const mostCallsOfOne = 8;
/** Of what a caller names and a rule says, for the log. */
const longestName = 64;
const longestReason = 300;
/** What is deeper could end a call in the middle of being read or written. */
const mostLevels = 100;
const mostFileBytes = 4 * 1024 * 1024;

interface WantedCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Runs calls for callers: checked like those of our own model, reads side by side, each caller's writes one after the other.
 * Whatever goes wrong is a result that says so.
 */
export function callerCalls(deps: CallSettings) {
  const running = new Map<string, number>();
  const writes = new Map<string, Promise<unknown>>();
  const minutes = new Map<string, { readonly from: number; calls: number }>();
  let all = 0;

  /** Whether one more call fits into the minute that began with the caller's first one. */
  const isWithinMinute = (id: string): boolean => {
    const now = deps.clock.elapsed();
    const known = minutes.get(id);
    const minute = known !== undefined && now - known.from < minuteMs ? known : { from: now, calls: 0 };
    minute.calls += 1;
    minutes.set(id, minute);
    return minute.calls <= deps.callsPerMinute;
  };

  return async (
    caller: Caller,
    wanted: WantedCall,
    signal: AbortSignal,
    progress: (message: string) => void,
  ): Promise<CallToolResult> => {
    const own = running.get(caller.id) ?? 0;
    if (all >= mostCalls || own >= mostCallsOfOne) return failed("Error: too many calls at a time. Try again soon.");
    if (!isWithinMinute(caller.id)) {
      const limit = `${deps.callsPerMinute} calls a minute (mcp.serve.callsPerMinute)`;
      return failed(`Error: not run. More than ${limit}. Try again in a minute.`);
    }
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
    if (nestsDeeper(given, mostLevels))
      return failed(`Error: not run. The arguments nest more than ${mostLevels} levels deep. Send flatter ones.`);
    const call = { callId: deps.newCallId(), name, arguments: JSON.stringify(given) };
    const tools = new Map(caller.tools.map((tool) => [tool.name, tool]));
    const { requesters } = caller.context;
    // The caller's own rights are asked for below; nobody is there to be asked.
    const authorise = () => ({ decision: "allow" }) as const;
    const checked = checkCall(call, { tools, requesters, stop: "tool_calls", wasStarted: false, authorise });
    const about = { tool: name.slice(0, longestName), caller: caller.id, callId: call.callId };
    const refuse = (reason: string) => {
      deps.log.info({ ...about, reason: reason.slice(0, longestReason) }, "tool call over MCP was refused");
      return failed(reason);
    };
    if (checked.status === "refused") return refuse(checked.reason);
    if (checked.status !== "ready") return refuse(laterText);
    const { tool, input } = checked;
    const { clock, log, maxToolOutputChars } = deps;
    const work = async () => {
      if (signal.aborted) return { content: "Cancelled.", isError: true };
      // Not before its turn: what earlier writes have brought into the workspace counts for this one.
      const refusal = await caller.refusal?.(tool, input, call);
      if (refusal !== undefined) return { refusal };
      log.info(about, "tool called over MCP");
      const opened = (await caller.open?.(checked, signal)) ?? { missing: [] };
      if ("kind" in opened) return opened;
      const { workspace, missing } = opened;
      const own = { callId: call.callId, idempotencyKey: call.callId, now: () => clock.now(), progress };
      const end = await callTool(
        { call, tool, input },
        { ...caller.context, ...own, ...(workspace && { workspace }) },
        { clock, log, maxToolOutputChars, signal, ...(caller.files && { files: caller.files }) },
      );
      if (end.kind !== "tool.result") return end;
      await caller.heard?.(end);
      return missing.length === 0 ? end : { ...end, content: [end.content, ...missing].join("\n") };
    };
    const startedAt = clock.elapsed();
    const result = await (tool.effect === "write" ? inTurn(caller.id, work) : work());
    if ("refusal" in result) return refuse(result.refusal);
    if ("waitsFor" in result) return refuse(laterText);
    const { content, isError } = result;
    log.info({ ...about, isError, durationMs: clock.elapsed() - startedAt }, "tool call over MCP finished");
    const parts = "reply" in result && result.reply !== undefined ? await partsOf(result.reply, caller, signal) : [];
    return { content: [{ type: "text", text: content }, ...parts], isError };
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
