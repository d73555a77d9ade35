import { type Conversation, isGatewayError } from "@talaria/protocol";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { capabilitiesFor } from "./place.ts";

const callMs = 10_000;

/**
 * Whether the platform answers a call that leaves nothing behind: that we type, which is true, since a text is about to be sent.
 * Where it knows no such call: true.
 */
export async function platformAnswers(conversation: Conversation, context: AccountContext): Promise<boolean> {
  const { adapter, pacing, clock, hangUp } = context;
  const { typing } = capabilitiesFor(adapter, conversation);
  const isClosed = pacing.closedForMs(conversation.conversationId) > 0;
  if (typing === undefined || adapter.setTyping === undefined || isClosed) return true;
  try {
    await callPlatform(clock, callMs, hangUp, async (signal) => adapter.setTyping?.(conversation, signal));
    return true;
  } catch (error) {
    return !isGatewayError(error, "unavailable");
  }
}
