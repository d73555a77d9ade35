import { type Conversation, isGatewayError } from "@talaria/protocol";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { capabilitiesFor } from "./place.ts";

const callMs = 10_000;
const probeMs = 60_000;

/**
 * Whether the platform answers a call that leaves nothing behind: that we type, which is true, since a text is about to be sent; or a probe
 * of the adapter's own. Where it knows no such call, or refuses it: true.
 */
export async function platformAnswers(conversation: Conversation, context: AccountContext): Promise<boolean> {
  const { adapter, pacing, clock, hangUp } = context;
  const { typing } = capabilitiesFor(adapter, conversation);
  const isClosed = pacing.closedForMs(conversation.conversationId) > 0;
  const types = typing !== undefined && adapter.setTyping !== undefined;
  if (isClosed || !(types || adapter.probe)) return true;
  const call = (signal: AbortSignal) => (types ? adapter.setTyping?.(conversation, signal) : adapter.probe?.(signal));
  try {
    await callPlatform(clock, types ? callMs : probeMs, hangUp, async (signal) => call(signal));
    adapter.reached?.();
    return true;
  } catch (error) {
    return !isGatewayError(error, "unavailable");
  }
}
