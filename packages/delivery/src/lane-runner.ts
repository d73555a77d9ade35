import { type Conversation, isGatewayError, type StreamFrame, type TurnId } from "@talaria/protocol";
import type { OutboxRow, PartialReply } from "@talaria/store";
import type { AccountContext } from "./context.ts";
import { ConversationLane } from "./conversation-lane.ts";
import type { GrowingReply, ReplyPlace } from "./growing-reply.ts";
import { runSteps } from "./lane-io.ts";
import { LiveLaneIo } from "./live-lane-io.ts";
import { Typing } from "./typing.ts";
import { writeMessage } from "./write-message.ts";

/** Pause after an unexpected error. */
const errorPauseMs = 5_000;
/** Retries are due by the database's clock, which may be a little late. */
const retryMarginMs = 20;

/** Runs the lane of one conversation whenever there is news, and when it has waited long enough. */
export class LaneRunner {
  readonly #conversation: Conversation;
  readonly #context: AccountContext;
  readonly #lane = new ConversationLane();
  readonly #io: LiveLaneIo;
  readonly #typing: Typing;
  #running: Promise<void> | undefined;
  #hasNews = false;
  /** When it next looks by itself. */
  #lookAt = 0;
  /** The outbox was read while texts were here: further ones may have been kept back. */
  #mayHaveMore = false;

  constructor(conversation: Conversation, context: AccountContext) {
    this.#conversation = conversation;
    this.#context = context;
    this.#io = new LiveLaneIo(conversation, this.#lane, context);
    this.#typing = new Typing(conversation, context);
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#lane.isIdle;
  }

  get replyCount(): number {
    return this.#lane.replyCount;
  }

  /** The texts that are here. They hold back later ones when the outbox is read, so it is read again after them. */
  inFlight(): readonly number[] {
    this.#mayHaveMore ||= this.#lane.rows.length > 0;
    return this.#lane.rows.map(({ id }) => id);
  }

  /** Takes the next text unless `limit` texts are already here. */
  add(row: OutboxRow, limit: number): void {
    if (this.#lane.rows.length >= limit) {
      this.#mayHaveMore = true;
      this.#lane.cutShort();
      return;
    }
    this.#lane.add(row);
    if (row.turnId !== undefined) this.#typing.end(row.turnId);
    this.#io.hurry();
    this.look();
  }

  reply(turnId: TurnId): GrowingReply | undefined {
    return this.#lane.reply(turnId);
  }

  grow(place: ReplyPlace): void {
    this.#lane.grow(place, this.#context.clock.elapsed());
    this.#showTyping(place.turnId);
  }

  frame(frame: StreamFrame): void {
    this.#lane.frame(frame, this.#context.clock.elapsed());
    this.#showTyping(frame.turnId);
    this.look();
  }

  repair(partial: PartialReply): void {
    this.#lane.reply(partial.turnId)?.text.repair(partial);
    this.look();
  }

  /** Shows nothing more of this reply. */
  close(turnId: TurnId): void {
    this.#lane.close(turnId);
    this.#typing.end(turnId);
  }

  /** The outbox was read to its end, except for what texts already here hold back. */
  caughtUp(): void {
    if (this.#mayHaveMore) return;
    this.#lane.caughtUp();
    if (this.#lane.replyCount > 0) this.look();
  }

  /** Drops replies that are no longer written, and returns their turns. */
  async forgetOver(): Promise<readonly TurnId[]> {
    if (this.#running !== undefined) return [];
    const over = this.#lane.forgetOver(this.#context.clock.elapsed());
    for (const { message, turnId } of over) {
      this.#typing.end(turnId);
      if (message?.state !== "view") continue;
      const call = { kind: "discard", view: message.view, isFinal: false } as const;
      await writeMessage(call, this.#conversation, this.#context, this.#context.hangUp);
    }
    return over.map(({ turnId }) => turnId);
  }

  /** Looks whether there is something to do now. */
  look(): void {
    this.#hasNews = true;
    if (this.#running !== undefined || this.#context.stopping.aborted) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { stopping, lookIn } = this.#context;
    while (this.#hasNews && !stopping.aborted) {
      this.#hasNews = false;
      try {
        const { retryInMs, lookInMs } = await runSteps(this.#lane.work(), this.#io);
        if (retryInMs !== undefined) lookIn(retryInMs + retryMarginMs);
        if (lookInMs !== undefined && !this.#hasNews) this.#lookLater(lookInMs);
      } catch (error) {
        await this.#interrupted(error);
      }
    }
    if (this.#mayHaveMore) lookIn(0);
    this.#mayHaveMore = false;
  }

  #lookLater(ms: number): void {
    const { clock, stopping } = this.#context;
    const at = clock.elapsed() + ms;
    if (this.#lookAt > clock.elapsed() && this.#lookAt <= at) return;
    this.#lookAt = at;
    clock.sleep(ms, stopping).then(
      () => this.look(),
      () => undefined,
    );
  }

  /** When the store refuses, the lane rests for a while before its texts are read again. */
  async #interrupted(error: unknown): Promise<void> {
    const { log, accountId, clock, stopping, lost } = this.#context;
    if (isGatewayError(error, "conflict")) lost();
    if (stopping.aborted) return;
    log.error({ accountId, error }, "delivery was interrupted");
    if (this.#lane.rows.length === 0) return;
    this.#lane.letGo();
    await clock.sleep(errorPauseMs, stopping).catch(() => undefined);
    this.#mayHaveMore = true;
  }

  #showTyping(turnId: TurnId): void {
    const reply = this.#lane.reply(turnId);
    if (reply === undefined) return;
    const isAlive = () => reply.isTyping(this.#context.clock.elapsed());
    this.#typing.show(turnId, { isAlive, doing: () => reply.doing });
  }
}
