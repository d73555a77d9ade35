import type { ReplyView } from "@talaria/adapter";
import { inTurns, type Ruler, tailThatFits } from "@talaria/markdown";
import {
  type Conversation,
  type GatewayError,
  isGatewayError,
  type MessageId,
  type StreamFrame,
  type TurnId,
} from "@talaria/protocol";
import type { Preview, TurnDraft } from "@talaria/store";
import { Alarm } from "./alarm.ts";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { GrowingText } from "./growing-text.ts";
import { capabilitiesFor, rulerFor } from "./parts.ts";
import { type PreviewLeft, previewKey, previewLeft } from "./preview-left.ts";
import { askedPauseMs } from "./retry-delay.ts";
import { showTyping } from "./typing.ts";

/** Where a reply goes, as its first frame or its draft says. */
export type ReplyPlace = Pick<TurnDraft, "turnId" | "replyTo"> & { readonly conversation: Conversation };

const callMs = 15_000;
/** The final text waits this long for an update of the preview in flight. */
const closeMs = 5_000;
const maxFailures = 3;
/** Without frames for so long the worker is taken for dead, and nobody is typing. */
const aliveMs = 30_000;

/**
 * Shows one growing reply: typing at once, then snapshots of the text as the platform's pace allows. Nothing it does
 * is necessary: a failed update costs a frame, and the final text comes from the outbox.
 */
export class Presenter {
  readonly place: ReplyPlace;
  readonly text = new GrowingText();
  lastFrameAt: number;
  readonly #context: AccountContext;
  readonly #mayShow: () => boolean;
  readonly #alarm: Alarm;
  readonly #closing = new AbortController();
  readonly #updating = new AbortController();
  readonly #running: Promise<unknown>;
  #ended: Extract<StreamFrame, { type: "ended" }>["status"] | undefined;
  #typing = false;
  /** Undefined until the store was asked what gateways before this one have shown. */
  #left: PreviewLeft | undefined;
  #shown = "";
  #nextAt = 0;
  #failures = 0;
  /** What it learned of this text makes the next look cheaper. */
  #ruler: Ruler | undefined;

  /** `mayShow` says whether everything before this reply has been sent. */
  constructor(place: ReplyPlace, context: AccountContext, mayShow: () => boolean) {
    this.place = place;
    this.#context = context;
    this.#mayShow = mayShow;
    this.#alarm = new Alarm(context.clock);
    this.lastFrameAt = context.clock.now();
    this.#startTyping();
    this.#running = this.#run().catch((error: unknown) => this.#broke(error));
  }

  get turnId(): TurnId {
    return this.place.turnId;
  }

  get endedAs(): Extract<StreamFrame, { type: "ended" }>["status"] | undefined {
    return this.#ended;
  }

  frame(frame: StreamFrame): void {
    if (!this.text.apply(frame)) return;
    this.lastFrameAt = this.#context.clock.now();
    this.#ended = frame.type === "ended" ? frame.status : undefined;
    this.#startTyping();
    this.look();
  }

  /** Looks whether there is something to show now. */
  look(): void {
    this.#alarm.ring();
  }

  /**
   * Ends the preview, and says what is left of it; undefined when it never began. An update in flight is waited for,
   * but not for long.
   */
  async close(): Promise<PreviewLeft | undefined> {
    this.#closing.abort();
    const hangUp = setTimeoutOn(this.#context, closeMs, () => this.#updating.abort());
    await this.#running;
    hangUp.abort();
    return this.#left;
  }

  /** Ends the preview without a final text. A message that was posted stays. */
  async discard(): Promise<void> {
    const left = await this.close();
    if (left?.state !== "view") return;
    const { clock, hangUp, log } = this.#context;
    await callPlatform(clock, callMs, hangUp, (signal) => left.view.discard(signal)).catch((error: unknown) =>
      log.debug({ turnId: this.turnId, error }, "a view was not discarded"),
    );
  }

  #startTyping(): void {
    if (this.#typing || this.#closing.signal.aborted) return;
    const { clock, stopping } = this.#context;
    const isAlive = () => this.#ended === undefined && clock.now() - this.lastFrameAt < aliveMs;
    const signal = AbortSignal.any([this.#closing.signal, stopping]);
    this.#typing = true;
    void showTyping(this.#context, this.place.conversation, isAlive, signal)
      .catch((error: unknown) => this.#broke(error))
      .finally(() => {
        this.#typing = false;
      });
  }

  /** An adapter threw where it may not: its reply goes on without a preview. */
  #broke(error: unknown): void {
    const { log, accountId } = this.#context;
    log.error({ accountId, turnId: this.turnId, error }, "a preview ended unexpectedly");
  }

  async #run(): Promise<void> {
    const { adapter, stopping } = this.#context;
    const { view, edit } = capabilitiesFor(adapter, this.place.conversation);
    const shows = view ?? edit;
    if (shows === undefined) return;
    const signal = AbortSignal.any([this.#closing.signal, stopping]);
    while (!signal.aborted && this.#failures < maxFailures) {
      const waitMs = this.#waitMs();
      if (waitMs === 0) await this.#show(view !== undefined, shows.minIntervalMs);
      else await this.#alarm.wait(waitMs, signal);
    }
  }

  /** 0 when a snapshot may be shown now; undefined when only news can change that. */
  #waitMs(): number | undefined {
    const { adapter, pacing, clock } = this.#context;
    const { conversation } = this.place;
    const text = this.text.text;
    if (this.#ended !== undefined || this.text.hasGap || text.trim() === "" || text === this.#shown) return undefined;
    if (!this.#mayShow()) return undefined;
    const pauseMs = this.#nextAt - clock.now();
    if (pauseMs > 0) return pauseMs;
    const { conversationPace } = capabilitiesFor(adapter, conversation);
    return pacing.tryTakeForPreview(conversation.conversationId, conversationPace);
  }

  async #show(asView: boolean, minIntervalMs: number): Promise<void> {
    const { adapter, clock, metrics, accountId, hangUp } = this.#context;
    const text = this.text.text;
    const { maxTextLength } = adapter.capabilities;
    const signal = AbortSignal.any([this.#updating.signal, hangUp]);
    try {
      this.#ruler ??= rulerFor(adapter, maxTextLength);
      const steps = tailThatFits(text, this.#ruler);
      const markdown = await inTurns(steps, () => clock.sleep(0, signal));
      if (this.#closing.signal.aborted) return;
      if (asView) await callPlatform(clock, callMs, signal, (call) => this.#update(markdown, call));
      else await this.#postOrEdit(markdown, signal);
      this.#shown = text;
      if (this.#left?.state === "posted") this.#left = { ...this.#left, shown: markdown };
      this.#failures = 0;
      metrics.previewed(accountId);
    } catch (error) {
      if (this.#left?.state === "posted") this.#left = { state: "posted", messageId: this.#left.messageId };
      this.#failed(error as GatewayError);
    }
    this.#nextAt = Math.max(this.#nextAt, clock.now() + minIntervalMs);
  }

  async #update(markdown: string, signal: AbortSignal): Promise<void> {
    const view = this.#left?.state === "view" ? this.#left.view : await this.#open(signal);
    await view?.update(markdown, signal);
  }

  async #open(signal: AbortSignal): Promise<ReplyView | undefined> {
    const view = await this.#context.adapter.openReply?.(this.place, signal);
    if (view !== undefined) this.#left = { state: "view", view };
    return view;
  }

  async #postOrEdit(markdown: string, signal: AbortSignal): Promise<void> {
    const { adapter, clock, outbox } = this.#context;
    const { conversation } = this.place;
    this.#left ??= previewLeft(await outbox.preview(this.turnId));
    const left = this.#left;
    if (left.state === "unknown" && !this.#isRecognised())
      throw new Error("a preview whose outcome is unknown is not shown again");
    const messageId = left.state === "posted" ? left.messageId : await this.#post(markdown, signal);
    // Where the platform recognises the preview, it may show an older text.
    if (left.state === "none") return;
    const ref = { conversation, messageId };
    await callPlatform(clock, callMs, signal, async (call) => adapter.edit?.(ref, markdown, call));
  }

  /** Stores the intent, posts, stores the id: the final text becomes an edit of this message. */
  async #post(markdown: string, signal: AbortSignal): Promise<MessageId> {
    const { adapter, clock } = this.#context;
    const { conversation, replyTo } = this.place;
    const deliveryKey = previewKey(this.turnId);
    const message = { deliveryKey, conversation, markdown, attachments: [], ...(replyTo ? { replyTo } : {}) };
    await this.#save({ state: "posting" });
    let messageId: MessageId;
    try {
      ({ messageId } = await callPlatform(clock, callMs, signal, (call) => adapter.send(message, call)));
    } catch (error) {
      if ((error as GatewayError).effect === "unknown") this.#left = { state: "unknown" };
      throw error;
    }
    this.#left = { state: "posted", messageId };
    await this.#save({ state: "posted", messageId });
    return messageId;
  }

  /** A preview that is posted again is not a second one. */
  #isRecognised(): boolean {
    return this.#context.adapter.capabilities.idempotentSend;
  }

  async #save(preview: Preview): Promise<void> {
    const { outbox, lease, lost } = this.#context;
    try {
      await outbox.savePreview(lease, this.turnId, preview);
    } catch (error) {
      if (isGatewayError(error, "conflict")) lost();
      throw error;
    }
  }

  #failed(error: GatewayError): void {
    const { adapter, pacing, clock, metrics, log, accountId } = this.#context;
    const { conversation } = this.place;
    log.debug({ accountId, turnId: this.turnId, code: error.code, error }, "a frame of a preview was lost");
    if (error.code !== "rate_limited") {
      const isOver = this.#left?.state === "unknown" && !this.#isRecognised();
      this.#failures = isOver ? maxFailures : this.#failures + 1;
      return;
    }
    const closed = error.details.scope === "account" ? undefined : conversation.conversationId;
    const waitMs = askedPauseMs(error);
    pacing.close(closed, capabilitiesFor(adapter, conversation).conversationPace, waitMs);
    metrics.rateLimited(accountId, waitMs);
    this.#nextAt = clock.now() + waitMs;
  }
}

function setTimeoutOn({ clock }: AccountContext, ms: number, run: () => void): AbortController {
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(run, () => undefined);
  return timer;
}
