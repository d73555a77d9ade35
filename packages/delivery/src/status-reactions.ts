import { errorTable, type GatewayError, type MessageRef, type TurnId } from "@talaria/protocol";
import type { Asked } from "@talaria/store";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext, ProgressMarks } from "./context.ts";
import { capabilitiesFor } from "./place.ts";
import { noteRateLimit } from "./rate-limit.ts";

export type Status = "seen" | "working" | "done" | "failed" | "none";

const emojis: Readonly<Record<Exclude<Status, "none">, string>> = {
  seen: "👀",
  working: "⏳",
  done: "✅",
  failed: "❌",
};

const callMs = 10_000;
/** Messages whose reaction may still change; beyond that, the oldest stays as it is. */
const maxMessages = 500;
/** After this time a reaction is no longer useful. */
const staleAfterMs = 60_000;
/** Wait for a token when the platform's pace leaves none. */
const shortestWaitMs = 250;

interface Marked {
  readonly ref: MessageRef;
  shown: Status;
  wanted: Status;
  wantedAt: number;
  isBusy: boolean;
}

/**
 * Shows with reactions how far the answer to a message is. Expendable: it never delays what is shown, uses a
 * token of the conversation only when one is left for the final text, skips outdated states, and gives up after a minute.
 * Nothing here rejects.
 */
export class StatusReactions implements ProgressMarks {
  readonly #context: Omit<AccountContext, "marks">;
  readonly #asked: (turnId: TurnId) => Promise<Asked | undefined>;
  readonly #messages = new Map<string, Marked>();
  #asking: Promise<unknown> = Promise.resolve();
  readonly #unsupported = new Set<string>();

  constructor(context: Omit<AccountContext, "marks">, asked: (turnId: TurnId) => Promise<Asked | undefined>) {
    this.#context = context;
    this.#asked = asked;
  }

  get size(): number {
    return this.#messages.size;
  }

  /** Reports how far the answer to this message is. */
  async mark(ref: MessageRef, wanted: Status): Promise<void> {
    const { adapter, clock, stopping } = this.#context;
    if (stopping.aborted || adapter.react === undefined) return;
    const marked = this.#markedOf(ref);
    marked.wanted = wanted;
    marked.wantedAt = clock.elapsed();
    await this.#bring(marked);
  }

  began(turnId: TurnId): Promise<void> {
    return this.turn(turnId);
  }

  /** The same, for the message that a turn answers, by how far the turn is. Calls are answered in their order. */
  async turn(turnId: TurnId, isDelivered = true): Promise<void> {
    if (this.#context.adapter.react === undefined) return;
    try {
      const asking = this.#asking.then(
        () => this.#asked(turnId),
        () => this.#asked(turnId),
      );
      this.#asking = asking;
      const asked = await asking;
      if (asked?.answers !== undefined) await this.mark(asked.answers, isDelivered ? statusOf(asked) : "failed");
    } catch (error) {
      this.#context.log.debug({ turnId, error }, "the message of a turn was not found");
    }
  }

  #markedOf(ref: MessageRef): Marked {
    const key = JSON.stringify([ref.conversation.conversationId, ref.messageId]);
    const marked = this.#messages.get(key) ?? { ref, shown: "none", wanted: "none", wantedAt: 0, isBusy: false };
    this.#messages.delete(key);
    this.#messages.set(key, marked);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > maxMessages && oldest !== undefined) this.#messages.delete(oldest);
    return marked;
  }

  /** Brings one message to the newest state that is wanted. */
  async #bring(marked: Marked): Promise<void> {
    if (marked.isBusy) return;
    marked.isBusy = true;
    const { clock, stopping } = this.#context;
    while (marked.shown !== marked.wanted && !stopping.aborted && clock.elapsed() - marked.wantedAt < staleAfterMs) {
      const waitMs = this.#takeToken(marked);
      if (waitMs === 0) await this.#step(marked);
      else await clock.sleep(Math.max(shortestWaitMs, waitMs), stopping).catch(() => undefined);
    }
    marked.isBusy = false;
  }

  #takeToken({ ref: { conversation } }: Marked): number {
    const { adapter, pacing } = this.#context;
    return pacing.tryTakeForPreview(
      conversation.conversationId,
      capabilitiesFor(adapter, conversation).conversationPace,
    );
  }

  /** One call: takes the old reaction away, or adds the new one. A failed call counts as made. */
  async #step(marked: Marked): Promise<void> {
    const { adapter, clock, hangUp, log } = this.#context;
    const { ref, shown, wanted } = marked;
    const isTaking = shown !== "none";
    const emoji = emojis[shown === "none" ? (wanted as Exclude<Status, "none">) : shown];
    marked.shown = isTaking ? "none" : wanted;
    if (this.#unsupported.has(emoji)) return;
    try {
      await callPlatform(clock, callMs, hangUp, async (signal) =>
        isTaking ? adapter.unreact?.(ref, emoji, signal) : adapter.react?.(ref, emoji, signal),
      );
    } catch (error) {
      const { code } = error as GatewayError;
      log.debug({ messageId: ref.messageId, code, error }, "a reaction was not set");
      if (code === "unsupported") this.#unsupported.add(emoji);
      noteRateLimit(error as GatewayError, ref.conversation, this.#context);
      if (errorTable[code].retry === "after-delay") marked.shown = shown;
    }
  }
}

function statusOf({ state }: Asked): Status {
  switch (state) {
    case "completed":
      return "done";
    case "failed":
      return "failed";
    case "aborted":
      return "none";
    case "running":
      return "working";
    default:
      return state satisfies never;
  }
}
