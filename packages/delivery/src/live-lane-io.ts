import { cooperatively, tailThatFits } from "@talaria/markdown";
import type { Conversation, DeliveryKey, MessageId, TurnId } from "@talaria/protocol";
import type {
  OutboxOutcome,
  OutboxPart,
  OutboxRow,
  OutboxText,
  OutboxUpdate,
  Preview,
  ShownQuestion,
} from "@talaria/store";
import { closedText } from "./closed-text.ts";
import { type AccountContext, persist } from "./context.ts";
import type { ConversationLane } from "./conversation-lane.ts";
import type { GrowingReply } from "./growing-reply.ts";
import type { LaneIo, News } from "./lane-io.ts";
import { partsOf, rulerFor, smallerParts } from "./parts.ts";
import { capabilitiesFor, factsOf, type PlaceFacts } from "./place.ts";
import { platformAnswers } from "./platform-answers.ts";
import type { Answer, Call } from "./reply-message.ts";
import type { Said } from "./row-words.ts";
import { sentAgain } from "./sent-again.ts";
import { tellNews } from "./tell-news.ts";
import { writeMessage } from "./write-message.ts";

/** A text waits this long for an update of a preview in flight. */
const hurryMs = 5_000;
/** Pause before a reply that is not shown in an outage is looked at again. */
const outageLookMs = 2_000;

/** Answers the steps of one conversation from store, platform and clock. */
export class LiveLaneIo implements LaneIo {
  readonly #conversation: Conversation;
  readonly #lane: ConversationLane;
  readonly #context: AccountContext;
  /** The call in flight for a preview, which must not keep a text waiting. */
  #previewing: AbortController | undefined;

  constructor(conversation: Conversation, lane: ConversationLane, context: AccountContext) {
    this.#conversation = conversation;
    this.#lane = lane;
    this.#context = context;
  }

  /** A text waits: a preview in flight may take a little longer, and then it is cut off. */
  hurry(): void {
    const previewing = this.#previewing;
    if (previewing === undefined) return;
    this.#context.clock.sleep(hurryMs, previewing.signal).then(
      () => previewing.abort(),
      () => undefined,
    );
  }

  now(): number {
    return this.#context.clock.now();
  }

  elapsed(): number {
    return this.#context.clock.elapsed();
  }

  random(): number {
    return this.#context.random();
  }

  begin(): void {
    this.#context.stopping.throwIfAborted();
  }

  facts(): PlaceFacts {
    return ofAdapter(() => factsOf(this.#context.adapter, this.#conversation));
  }

  async mayAnswer(turnId: TurnId, asked: OutboxRow["asked"]): Promise<boolean> {
    const { mayAnswer } = this.#context;
    return mayAnswer === undefined || (await persist(this.#context, () => mayAnswer(turnId, asked)));
  }

  split(row: OutboxRow, isShown: boolean): Promise<readonly OutboxPart[]> {
    return this.#made(() => partsOf(row, this.#context.adapter, isShown, this.#pause));
  }

  splitSmaller(part: OutboxPart, said: Said): Promise<readonly OutboxPart[]> {
    return this.#made(() => smallerParts(part, said, this.#context.adapter, this.#pause));
  }

  sentAgain(part: OutboxPart, said: Said): Promise<readonly OutboxPart[]> {
    return this.#made(() => sentAgain(part, said, this.#context.adapter, this.#pause));
  }

  fit(reply: GrowingReply, line: string | undefined): Promise<string> {
    return this.#made(() => {
      const { adapter } = this.#context;
      reply.ruler ??= rulerFor(adapter, adapter.capabilities.maxTextLength);
      return cooperatively(tailThatFits(withLine(reply.text.text, line), reply.ruler), this.#pause);
    });
  }

  async pace(): Promise<void> {
    const { pacing, stopping } = this.#context;
    await pacing.take(this.#conversation.conversationId, this.#pace(), stopping);
  }

  paceNow(): boolean {
    const { pacing, stopping } = this.#context;
    return !stopping.aborted && pacing.tryTake(this.#conversation.conversationId, this.#pace()) === 0;
  }

  /** A preview that is lost in an outage stays as a fragment where nobody finds it again, so none begins then. */
  pacePreview(isNew: boolean): number {
    const { recognises, finds, shows } = this.facts();
    const mayStay = shows?.as === "message" && !recognises && !finds;
    if (isNew && mayStay && this.#context.outage.isOn) return outageLookMs;
    return this.#context.pacing.tryTakeForPreview(this.#conversation.conversationId, this.#pace());
  }

  async repeatInMs(repeats: number): Promise<number> {
    const { outage } = this.#context;
    const waitMs = outage.turnInMs(repeats);
    if (waitMs > 0 || (await platformAnswers(this.#conversation, this.#context))) return waitMs;
    return outage.unanswered();
  }

  question(deliveryKey: DeliveryKey): Promise<ShownQuestion | undefined> {
    return persist(this.#context, () => this.#context.outbox.question(deliveryKey));
  }

  replaced(row: OutboxRow): Promise<MessageId | undefined> {
    return persist(this.#context, () => this.#context.outbox.replaced(row));
  }

  closed(question: ShownQuestion, isShort: boolean, said: Said): Promise<string> {
    return this.#made(() => closedText(question, this.#context.adapter, isShort, said, this.#pause));
  }

  addText(text: OutboxText): Promise<void> {
    return persist(this.#context, () => this.#context.outbox.add([text]));
  }

  saveRow(update: OutboxUpdate): Promise<OutboxOutcome> {
    const { outbox, lease } = this.#context;
    return persist(this.#context, () => outbox.update(lease, update));
  }

  preview(turnId: TurnId): Promise<Preview | undefined> {
    return persist(this.#context, () => this.#context.outbox.preview(turnId));
  }

  savePreview(turnId: TurnId, preview: Preview): Promise<void> {
    const { outbox, lease } = this.#context;
    return persist(this.#context, () => outbox.savePreview(lease, turnId, preview));
  }

  forgetPreview(turnId: TurnId): Promise<void> {
    const { outbox, lease } = this.#context;
    return persist(this.#context, () => outbox.forgetPreview(lease, turnId));
  }

  async call(call: Call): Promise<Answer> {
    const { hangUp } = this.#context;
    if (call.isFinal) return await writeMessage(call, this.#conversation, this.#context, hangUp);
    const previewing = new AbortController();
    this.#previewing = previewing;
    if (this.#lane.rows.length > 0) this.hurry();
    const signal = AbortSignal.any([previewing.signal, hangUp]);
    const answer = await writeMessage(call, this.#conversation, this.#context, signal);
    this.#previewing = undefined;
    previewing.abort("answered");
    return answer;
  }

  tell(news: News): void {
    tellNews(news, this.#context);
  }

  #pace() {
    return ofAdapter(() => capabilitiesFor(this.#context.adapter, this.#conversation).conversationPace);
  }

  /** What an adapter throws here is its own mistake; the end of the account is not. */
  async #made<Value>(make: () => Promise<Value>): Promise<Value> {
    try {
      return await make();
    } catch (error) {
      this.#context.stopping.throwIfAborted();
      throw mistake(error);
    }
  }

  readonly #pause = () => this.#context.clock.sleep(0, this.#context.stopping);
}

function withLine(text: string, line: string | undefined): string {
  return [text.trimEnd(), line].filter(Boolean).join("\n\n");
}

function ofAdapter<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw mistake(error);
  }
}

function mistake(cause: unknown): TypeError {
  return new TypeError("an adapter threw where it may not", { cause });
}
