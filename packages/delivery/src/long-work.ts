import type { MessageRef, TurnId } from "@talaria/protocol";
import type { Asked } from "@talaria/store";
import type { AccountContext, ProgressMarks } from "./context.ts";
import { StatusReactions } from "./status-reactions.ts";

/** What takes no longer is answered soon enough. */
const longMs = 10_000;
/** Turns watched at the same time; further ones show nothing. */
const maxTurns = 500;

/**
 * Where a platform shows nothing of an answer before it is whole: one reaction on the message that was asked with, from ten seconds on,
 * which is gone with the answer. Expendable: nothing here rejects.
 */
export class LongWork implements ProgressMarks {
  readonly #context: Omit<AccountContext, "marks">;
  readonly #asked: (turnId: TurnId) => Promise<Asked | undefined>;
  readonly #reactions: StatusReactions;
  /** Turns that run, each with the message that got a reaction. */
  readonly #running = new Map<TurnId, { readonly over: AbortController; ref?: MessageRef }>();

  constructor(context: Omit<AccountContext, "marks">, asked: (turnId: TurnId) => Promise<Asked | undefined>) {
    this.#context = context;
    this.#asked = asked;
    this.#reactions = new StatusReactions(context, asked);
  }

  /** Whether this is the way for a platform. */
  static suits({ adapter }: Pick<AccountContext, "adapter">): boolean {
    const { view, edit } = adapter.capabilities;
    return view === undefined && edit === undefined && adapter.react !== undefined;
  }

  async mark(): Promise<void> {}

  async began(turnId: TurnId): Promise<void> {
    const { clock, stopping, log } = this.#context;
    if (this.#running.has(turnId) || this.#running.size >= maxTurns || stopping.aborted) return;
    const over = new AbortController();
    const running: { readonly over: AbortController; ref?: MessageRef } = { over };
    this.#running.set(turnId, running);
    try {
      await clock.sleep(longMs, AbortSignal.any([over.signal, stopping]));
      const asked = await this.#asked(turnId);
      if (over.signal.aborted) return;
      if (asked?.answers === undefined || asked.state !== "running") {
        this.#running.delete(turnId);
        return;
      }
      running.ref = asked.answers;
      await this.#reactions.mark(asked.answers, "working");
    } catch (error) {
      if (!over.signal.aborted && !stopping.aborted) log.debug({ turnId, error }, "long work was not shown");
    }
  }

  /** It has ended, or waits for somebody: nothing is left of it. */
  async turn(turnId: TurnId): Promise<void> {
    const running = this.#running.get(turnId);
    this.#running.delete(turnId);
    running?.over.abort();
    if (running?.ref !== undefined) await this.#reactions.mark(running.ref, "none");
  }
}
