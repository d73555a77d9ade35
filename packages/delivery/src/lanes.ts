import type { Conversation, ConversationId, TurnId } from "@talaria/protocol";
import type { OutboxRow } from "@talaria/store";
import type { AccountContext } from "./context.ts";
import { LaneRunner } from "./lane-runner.ts";

/**
 * How many texts of the account and of one lane are in memory, and how many are read at once. When half the room is taken,
 * a lane gets only one text, so that a few slow conversations leave room for the others.
 */
const limits = { rows: 96, laneRows: 4, read: 16 };

/** The lanes of one account, one per active conversation. */
export class Lanes {
  readonly #context: AccountContext;
  readonly #lanes = new Map<ConversationId, LaneRunner>();

  constructor(context: AccountContext) {
    this.#context = context;
  }

  of(conversation: Conversation): LaneRunner {
    const { conversationId } = conversation;
    const lane = this.#lanes.get(conversationId) ?? new LaneRunner(conversation, this.#context);
    this.#lanes.set(conversationId, lane);
    return lane;
  }

  get replyCount(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) count += lane.replyCount;
    return count;
  }

  /** The texts that are here, and how many more may be read now. */
  room(): { readonly inFlight: readonly number[]; readonly count: number } {
    const inFlight = [...this.#lanes.values()].flatMap((lane) => lane.inFlight());
    return { inFlight, count: Math.max(0, Math.min(limits.read, limits.rows - inFlight.length)) };
  }

  /** Hands texts to their lanes; those for which a lane has no room are read again later. */
  add(rows: readonly OutboxRow[], inFlight: number): void {
    const laneRows = inFlight < limits.rows / 2 ? limits.laneRows : 1;
    for (const row of rows) this.of(row.conversation).add(row, laneRows);
  }

  caughtUp(): void {
    for (const lane of this.#lanes.values()) lane.caughtUp();
  }

  /** Drops what is no longer needed, and returns the turns whose replies were given up. */
  async sweep(): Promise<readonly TurnId[]> {
    const over: TurnId[] = [];
    for (const [conversation, lane] of this.#lanes) {
      if (lane.replyCount > 0) over.push(...(await lane.forgetOver()));
      if (lane.isIdle) this.#lanes.delete(conversation);
    }
    return over;
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }
}
