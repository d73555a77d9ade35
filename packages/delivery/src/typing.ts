import type { Conversation, TurnId } from "@talaria/protocol";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { capabilitiesFor } from "./place.ts";

const callMs = 10_000;
const maxFailures = 3;
/** A signal is renewed after this share of the time for which it shows. */
const renewAt = 0.8;

/** Shows in one conversation that replies are being written, one signal per reply. */
export class Typing {
  readonly #context: AccountContext;
  readonly #conversation: Conversation;
  readonly #shown = new Map<TurnId, AbortController>();

  constructor(conversation: Conversation, context: AccountContext) {
    this.#conversation = conversation;
    this.#context = context;
  }

  /** Shows it while `isAlive` says so and nobody ends it. */
  show(turnId: TurnId, isAlive: () => boolean): void {
    const { stopping, log, accountId } = this.#context;
    if (this.#shown.has(turnId) || stopping.aborted || !isAlive()) return;
    const ending = new AbortController();
    this.#shown.set(turnId, ending);
    void showTyping(this.#context, this.#conversation, isAlive, AbortSignal.any([ending.signal, stopping]))
      .catch((error: unknown) => log.error({ accountId, turnId, error }, "typing ended unexpectedly"))
      .finally(() => this.#shown.delete(turnId));
  }

  end(turnId: TurnId): void {
    this.#shown.get(turnId)?.abort();
  }
}

/**
 * Shows that a reply is being written, until `signal` is aborted or `isAlive` says no. A platform that refuses three
 * times in a row is not asked again.
 */
async function showTyping(
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
