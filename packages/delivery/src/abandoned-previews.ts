import { errorTable, type TurnId } from "@talaria/protocol";
import type { AbandonedPreview } from "@talaria/store";
import type { AccountContext } from "./context.ts";
import { writeMessage } from "./write-message.ts";

/** Pause after a failure. */
const retryMs = 60_000;
/** Turns remembered; further ones are found when the account is next taken. */
const maxTurns = 1_000;

/**
 * Deletes the previews of turns that ended without a text, so that no half answer stays. The store decides, not the
 * frames: it also knows previews left by a gateway that died, and turns that will be resumed.
 */
export class AbandonedPreviews {
  readonly #context: AccountContext;
  /** Turns to ask the store about, each with the time from which to ask. */
  readonly #turns = new Map<TurnId, number>();
  /** When to ask about all turns of the account: once after it was taken. */
  #allAt: number | undefined = 0;

  constructor(context: AccountContext) {
    this.#context = context;
  }

  /** The preview of this turn may have been abandoned. */
  add(turnId: TurnId): void {
    this.#addFrom(turnId, 0);
  }

  /** Looks for what is due. Never rejects, and leaves for later what fails. */
  async takeAway(): Promise<void> {
    const { adapter, outbox, accountId, clock, log, stopping } = this.#context;
    const now = clock.elapsed();
    const isAll = this.#allAt !== undefined && this.#allAt <= now;
    const turnIds = [...this.#turns].filter(([, from]) => from <= now).map(([turnId]) => turnId);
    if (adapter.delete === undefined || stopping.aborted || (!isAll && turnIds.length === 0)) return;
    if (isAll) this.#allAt = undefined;
    for (const turnId of turnIds) this.#turns.delete(turnId);
    try {
      const found = await outbox.abandonedPreviews(accountId, isAll ? undefined : turnIds);
      for (const preview of found) await this.#take(preview);
    } catch (error) {
      log.warn({ accountId, error }, "abandoned previews could not be read");
      if (isAll) this.#allAt = now + retryMs;
      for (const turnId of turnIds) this.#addFrom(turnId, now + retryMs);
    }
  }

  /** Rejects when the store does. */
  async #take({ turnId, conversation, messageId }: AbandonedPreview): Promise<void> {
    const { outbox, lease, clock, pacing, hangUp, stopping } = this.#context;
    if (stopping.aborted) return;
    if (pacing.closedForMs(conversation.conversationId) > 0) return this.#addFrom(turnId, clock.elapsed() + retryMs);
    const call = { kind: "remove", messageId, isFinal: false } as const;
    const { error } = await writeMessage(call, conversation, this.#context, hangUp);
    if (error !== undefined && errorTable[error.code].retry !== "never")
      return this.#addFrom(turnId, clock.elapsed() + retryMs);
    await outbox.forgetPreview(lease, turnId);
  }

  #addFrom(turnId: TurnId, from: number): void {
    if (this.#turns.size < maxTurns) this.#turns.set(turnId, from);
  }
}
