import type { Conversation } from "@talaria/protocol";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { capabilitiesFor } from "./parts.ts";

const callMs = 10_000;
const maxFailures = 3;
/** Part of the time one signal shows after which it is renewed. */
const renewAt = 0.8;

/**
 * Shows that a reply is being written, until `signal` is aborted or `isAlive` says no. A platform that refuses three
 * times in a row is not asked again.
 */
export async function showTyping(
  context: AccountContext,
  conversation: Conversation,
  isAlive: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { adapter, pacing, clock } = context;
  const { typing } = capabilitiesFor(adapter, conversation);
  if (typing === undefined || adapter.setTyping === undefined) return;
  for (let failures = 0; failures < maxFailures && isAlive() && !signal.aborted; ) {
    const isClosed = pacing.closedForMs(conversation.conversationId) > 0;
    try {
      if (!isClosed) await callPlatform(clock, callMs, signal, async (call) => adapter.setTyping?.(conversation, call));
      failures = 0;
    } catch {
      failures += 1;
    }
    await clock.sleep(Math.max(500, typing.lastsMs * renewAt), signal).catch(() => undefined);
  }
}
