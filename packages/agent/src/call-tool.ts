import { type Clock, isGatewayError, type Log } from "@talaria/protocol";
import { CallTime } from "./call-time.ts";
import { charsWithin, fitText } from "./context/fit-entry.ts";
import type { MarkedCalls } from "./file-taint.ts";
import { goOnBeside, type NoteBeside } from "./go-on-beside.ts";
import type { ToolResultEntry, ToolWaitingEntry } from "./journal.ts";
import { keepWhole } from "./keep-whole.ts";
import type { ToolCall } from "./model.ts";
import { cutMiddle, storable, storableJson } from "./text.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";
import { cancelledResult, toolResult } from "./tool-result.ts";
import { untrustedBlock } from "./untrusted-text.ts";

const defaultTimeoutMs = 60_000;

export interface CallSettings {
  readonly clock: Clock;
  readonly log: Log;
  readonly maxToolOutputChars: number;
  /** The same in tokens, where the model's window is nearly full. */
  readonly maxToolOutputTokens?: number;
  readonly signal: AbortSignal;
  /** Without it, no file counts as a stranger's. */
  readonly files?: MarkedCalls;
  /** Without it, no call goes on beside its turn. */
  readonly noteBeside?: NoteBeside;
}

/**
 * Runs one checked call. Always resolves, with the call's result or what it waits for: failures, time-outs and aborts are
 * results, also when the tool ignores its signal. `callsOf` makes what the tool makes calls with.
 */
export async function callTool(
  { call, tool, input }: { readonly call: ToolCall; readonly tool: Tool; readonly input: unknown },
  context: Omit<ToolContext, "signal" | "call" | "untimed">,
  settings: CallSettings,
  callsOf?: (signal: AbortSignal) => NonNullable<ToolContext["call"]>,
): Promise<ToolResultEntry | ToolWaitingEntry> {
  const { clock, log, maxToolOutputChars, maxToolOutputTokens = Number.POSITIVE_INFINITY, signal, files } = settings;
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs;
  const startedAt = clock.elapsed();
  const running = new AbortController();
  const onAbort = () => running.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const time = new CallTime(clock);
  let isBeside = false;
  const timeUp = time.over(timeoutMs, running.signal).then(
    () => toolResult(call, timeoutText(tool, timeoutMs), true),
    () => cancelledResult(call, tool.effect === "write"),
  );
  const { messages, ...rest } = context;
  const isStrangers = () =>
    tool.isForeign === true || (needsWorkspace(tool) && files?.brings({ tool, input }) === true);
  const work = run(tool, input, {
    ...rest,
    ...(messages !== undefined && reachesOthers(tool) && { messages }),
    signal: running.signal,
    untimed: (work) => time.untimed(work),
    progress: (label) => {
      if (!isBeside) context.progress(label);
    },
    ...(callsOf !== undefined && { call: callsOf(running.signal) }),
  }).then(
    async (answer) => {
      if ("waitsFor" in answer) {
        const { waitsFor, shown, expiresAt } = answer;
        return { kind: "tool.waiting" as const, callId: call.callId, name: call.name, waitsFor, shown, expiresAt };
      }
      log.debug({ tool: tool.name, callId: call.callId, details: answer.details }, "tool finished");
      const marked = isStrangers() ? { ...answer, untrusted: true as const } : answer;
      const room = { maxToolOutputChars, maxToolOutputTokens, media: context.media, signal: running.signal };
      return await resultEntry(call, marked, room);
    },
    (error: unknown) => {
      log.debug({ tool: tool.name, callId: call.callId, error }, "tool failed");
      const text = fitText(cutMiddle(storable(`Error: ${messageOf(error)}`), maxToolOutputChars), maxToolOutputTokens);
      if (!isStrangers())
        return { ...toolResult(call, text, true), ...(isUnanswered(error) && { nothingCame: true as const }) };
      return { ...toolResult(call, untrustedBlock(text), true), untrusted: true as const };
    },
  );
  const end = Promise.race([work, timeUp]).finally(() => {
    signal.removeEventListener("abort", onAbort);
    running.abort();
  });
  if (tool.beside === undefined) return await end;
  const stop = (reason: string) => running.abort(reason);
  const asksPeople = () => time.stands;
  const goingOn = await goOnBeside({ call, tool, input, startedAt, end, asksPeople, stop }, context, settings);
  if (goingOn === undefined) return await end;
  isBeside = true;
  signal.removeEventListener("abort", onAbort);
  return goingOn;
}

const withinWorkspace: ReadonlySet<string> = new Set(["exec", "fs.read", "fs.write"]);

/** Whether a tool declares that it reaches into the workspace. No other finds one, and a foreign one works where it is. */
export function needsWorkspace({ permissions, isForeign }: Pick<Tool, "permissions" | "isForeign">): boolean {
  return isForeign !== true && permissions.some((permission) => withinWorkspace.has(permission));
}

/** Whether a tool declares that it has to do with what is kept beyond the session. */
export function reachesFacts({ permissions, isForeign }: Pick<Tool, "permissions" | "isForeign">): boolean {
  return isForeign !== true && permissions.includes("memory");
}

/** Whether a tool declares that it may have to do with other conversations. */
function reachesOthers({ permissions, isForeign }: Pick<Tool, "permissions" | "isForeign">): boolean {
  return isForeign !== true && (permissions.includes("send") || permissions.includes("conversation.read"));
}

/** The result as it is journaled: short enough, marked when a stranger may have written it. What was cut is kept as a file. */
async function resultEntry(
  call: ToolCall,
  { content, untrusted, kept = [], shows, usage, later, did, reply }: ToolResult,
  {
    maxToolOutputChars,
    maxToolOutputTokens,
    media,
    signal,
  }: Required<Pick<CallSettings, "maxToolOutputChars" | "maxToolOutputTokens" | "signal">> & Pick<ToolContext, "media">,
): Promise<ToolResultEntry> {
  const text = storable(content);
  const mostChars = Math.min(maxToolOutputChars, charsWithin(text, maxToolOutputTokens));
  const whole = await keepWhole(text, mostChars, media, signal);
  const shown = untrusted ? untrustedBlock(whole.shown) : whole.shown;
  const files = [...kept, ...whole.kept];
  return {
    ...toolResult(call, whole.note === "" ? shown : `${shown}\n${whole.note}`, false),
    ...(untrusted && { untrusted }),
    ...(files.length > 0 && { kept: storableJson(files) }),
    ...(shows && { shows }),
    ...(usage !== undefined && { usage }),
    ...(did !== undefined && { did: storableJson(did) }),
    ...(later !== undefined && { later: storableJson(later) }),
    ...(reply !== undefined && { reply: storableJson(reply) }),
  };
}

async function run(tool: Tool, input: unknown, context: ToolContext) {
  return await tool.execute(input, context);
}

function timeoutText(tool: Tool, timeoutMs: number): string {
  const sentence = `No answer within ${timeoutMs / 1000} s.`;
  return tool.effect === "write" ? `UNKNOWN: ${sentence} Verify before retrying.` : `Error: ${sentence}`;
}

/** The tool says that nobody has answered it. */
function isUnanswered(error: unknown): boolean {
  return isGatewayError(error) && error.details.answered === false;
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}
