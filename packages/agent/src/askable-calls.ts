import { untilAborted } from "@talaria/protocol";
import type { CheckedCall } from "./check-call.ts";
import type { AskingContext, ToolContext } from "./tool.ts";

/** Longer, and people are asked. */
const mostMs = 5_000;

/**
 * The same calls, where one about which nobody was asked yet is refused if its tool knows that it can't take effect: people
 * decide nothing in vain. Never throws.
 */
export async function askableCalls(
  checked: readonly CheckedCall[],
  isAsked: (callId: string) => boolean,
  context: Pick<ToolContext, AskingContext>,
  signal: AbortSignal,
): Promise<readonly CheckedCall[]> {
  return await Promise.all(
    checked.map(async (one): Promise<CheckedCall> => {
      if (one.status !== "waits" || isAsked(one.call.callId)) return one;
      const reason = await obstacleOf(one, context, signal);
      return reason === undefined ? one : { status: "refused", call: one.call, reason: `Error: ${reason}` };
    }),
  );
}

async function obstacleOf(
  { tool, input }: Extract<CheckedCall, { readonly status: "waits" }>,
  context: Pick<ToolContext, AskingContext>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (tool.obstacle === undefined) return undefined;
  try {
    return await untilAborted(tool.obstacle(input, context), AbortSignal.any([signal, AbortSignal.timeout(mostMs)]));
  } catch {
    return undefined;
  }
}
