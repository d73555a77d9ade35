import type { Conversation, TurnId } from "@talaria/protocol";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { capabilitiesFor } from "./place.ts";

const callMs = 10_000;
const maxFailures = 3;
/** A signal is renewed after this share of the time for which it shows. */
const renewAt = 0.8;
/** Where a signal has words, it changes with them at most this often. */
const wordsEveryMs = 3_000;

/** A reply that is being written. */
export interface Writing {
  isAlive(): boolean;
  /** What is being done, in words. */
  doing(): string | undefined;
}

/** Shows in one conversation that replies are being written, one signal per reply. */
export class Typing {
  readonly #context: AccountContext;
  readonly #conversation: Conversation;
  readonly #shown = new Map<TurnId, AbortController>();

  constructor(conversation: Conversation, context: AccountContext) {
    this.#conversation = conversation;
    this.#context = context;
  }

  /** Shows it while it lives and nobody ends it. */
  show(turnId: TurnId, writing: Writing): void {
    const { stopping, log, accountId } = this.#context;
    if (this.#shown.has(turnId) || stopping.aborted || !writing.isAlive()) return;
    const ending = new AbortController();
    this.#shown.set(turnId, ending);
    void showTyping(this.#context, this.#conversation, writing, AbortSignal.any([ending.signal, stopping]))
      .catch((error: unknown) => log.error({ accountId, turnId, error }, "typing ended unexpectedly"))
      .finally(() => this.#shown.delete(turnId));
  }

  end(turnId: TurnId): void {
    this.#shown.get(turnId)?.abort();
  }
}

/**
 * Shows that a reply is being written, until `signal` is aborted or it lives no more. A platform that refuses three
 * times in a row is not asked again.
 */
async function showTyping(
  context: AccountContext,
  conversation: Conversation,
  writing: Writing,
  signal: AbortSignal,
): Promise<void> {
  const { adapter, pacing, clock } = context;
  const { typing } = capabilitiesFor(adapter, conversation);
  if (typing === undefined || adapter.setTyping === undefined) return;
  for (let failures = 0; failures < maxFailures && writing.isAlive() && !signal.aborted; ) {
    const isClosed = pacing.closedForMs(conversation.conversationId) > 0;
    const doing = typing.words && writing.doing();
    try {
      const show = async (call: AbortSignal) => adapter.setTyping?.(conversation, call, doing);
      if (!isClosed) {
        await callPlatform(clock, callMs, signal, show);
        adapter.reached?.();
      }
      failures = 0;
    } catch {
      failures += 1;
    }
    let restMs = Math.max(500, typing.lastsMs * renewAt);
    do {
      const waitMs = typing.words ? Math.min(wordsEveryMs, restMs) : restMs;
      await clock.sleep(waitMs, signal).catch(() => undefined);
      restMs -= waitMs;
    } while (restMs > 0 && !signal.aborted && writing.isAlive() && (typing.words && writing.doing()) === doing);
  }
}
