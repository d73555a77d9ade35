import { type CallSettings, callTool, needsWorkspace } from "./call-tool.ts";
import { type CallCircumstances, checkCall } from "./check-call.ts";
import { unmarkedText } from "./file-taint.ts";
import type { ToolResultEntry } from "./journal.ts";
import { type KeptSettings, keptFor } from "./kept-for.ts";
import type { ToolCall } from "./model.ts";
import type { ToolContext } from "./tool.ts";
import { toolResult } from "./tool-result.ts";

const mostCallsOfCode = 50;

const needsPerson =
  "Error: not run. Somebody would have to approve this call, and code can't wait for that: make the call directly.";

export interface CallsOfCodeSettings
  extends Omit<CallSettings, "signal">,
    KeptSettings,
    Pick<CallCircumstances, "tools" | "shownTools" | "requesters"> {
  /** `meanwhile`: results that the code has got and that are in no journal. */
  readonly authorise: (
    ...asked: [...Parameters<CallCircumstances["authorise"]>, meanwhile: readonly ToolResultEntry[]]
  ) => ReturnType<CallCircumstances["authorise"]>;
}

/**
 * Calls that the code of a call makes itself: with the checks and the rights of a call of the model, one after the other, at most 50.
 * What earlier ones brought counts for the right to the next one. Each resolves with its result, also when it is refused.
 */
export function callsOfCode(
  parent: ToolCall,
  context: Omit<ToolContext, "signal" | "call">,
  settings: CallsOfCodeSettings,
  signal: AbortSignal,
): NonNullable<ToolContext["call"]> {
  const results: ToolResultEntry[] = [];
  let asked = 0;
  let last: Promise<unknown> = Promise.resolve();

  const carryOut = async (call: ToolCall): Promise<ToolResultEntry> => {
    const checked = checkCall(call, {
      tools: settings.tools,
      ...(settings.shownTools && { shownTools: settings.shownTools }),
      requesters: settings.requesters,
      stop: "tool_calls",
      wasStarted: false,
      authorise: (...one) => settings.authorise(...one, results),
    });
    if (checked.status === "refused") return toolResult(call, checked.reason, true);
    if (checked.status !== "ready") return toolResult(call, needsPerson, true);
    const unmarked = await settings.files?.mark(checked, results).then(
      () => undefined,
      () => unmarkedText,
    );
    if (unmarked !== undefined) return toolResult(call, unmarked, true);
    const { callId } = call;
    const { workspace, tellLater: _, letGo: ___, ...rest } = context;
    const reach = workspace !== undefined && needsWorkspace(checked.tool) ? { workspace } : {};
    const kept = keptFor(settings, checked, results);
    const own = { ...rest, ...reach, ...kept, callId, idempotencyKey: `${context.turnId}:${callId}` };
    // Code reads the results, not the model.
    const { maxToolOutputTokens: __, ...others } = settings;
    const end = await callTool(checked, own, { ...others, signal });
    return end.kind === "tool.result" ? end : toolResult(call, needsPerson, true);
  };

  return (name, args) => {
    asked += 1;
    const call = { callId: `${parent.callId}/${asked}`, name, arguments: JSON.stringify(args ?? {}) };
    if (asked > mostCallsOfCode) {
      return Promise.resolve(toolResult(call, `Error: not run. Code makes at most ${mostCallsOfCode} calls.`, true));
    }
    const result = last.then(async () => {
      const end = await carryOut(call);
      results.push(end);
      return end;
    });
    last = result;
    return result;
  };
}
