import type { Conversation, StreamFrame, TurnId } from "@talaria/protocol";
import type { TurnDraft } from "@talaria/store";
import { AbandonedPreviews } from "./abandoned-previews.ts";
import type { AccountContext } from "./context.ts";
import { Presenter } from "./presenter.ts";
import type { PreviewLeft } from "./preview-left.ts";

/** Replies shown at once; those beyond are shown when they are whole. */
const maxPresenters = 1_000;
/** Turns whose late frames are still recognised as late. */
const maxRemembered = 2_000;
/** Without frames for so long a preview is forgotten. */
const forgottenAfterMs = 10 * 60_000;
/** An aborted turn whose text has not come up by then has none. */
const abortedForMs = 5_000;
/** Drafts of one turn are read at most this often. */
const draftPauseMs = 1_000;
/** Frames of one turn kept until its draft is read; those beyond are made up for by the next draft. */
const maxWaiting = 64;

/** The replies of one account that are being written. */
export class Previews {
  readonly #context: AccountContext;
  readonly #mayShow: (conversation: Conversation) => boolean;
  readonly #abandoned: AbandonedPreviews;
  readonly #live = new Map<TurnId, Presenter>();
  /**
   * Turns whose final text has come up: their frames are late. What the preview left, for rows that are tried again;
   * undefined when this process showed nothing, `none` when the text has been sent.
   */
  readonly #left = new Map<TurnId, PreviewLeft | undefined>();
  readonly #reading = new Map<TurnId, StreamFrame[]>();

  constructor(context: AccountContext, mayShow: (conversation: Conversation) => boolean) {
    this.#context = context;
    this.#mayShow = mayShow;
    this.#abandoned = new AbandonedPreviews(context);
  }

  get size(): number {
    return this.#live.size;
  }

  frame(frame: StreamFrame): void {
    const { turnId } = frame;
    if (this.#left.has(turnId) || this.#context.stopping.aborted) return;
    const presenter = this.#live.get(turnId);
    const reading = this.#reading.get(turnId);
    if (reading !== undefined && presenter === undefined) {
      if (reading.length < maxWaiting) reading.push(frame);
      return;
    }
    if (presenter !== undefined) this.#feed(presenter, frame);
    else if (frame.type === "started") this.#start(frame);
    else if (frame.type !== "ended" && this.#hasRoom()) void this.#read(turnId, [frame]);
  }

  /** Something was sent or has come up: previews that waited for it look again. */
  look(): void {
    for (const presenter of this.#live.values()) presenter.look();
  }

  /** Ends the preview of a turn whose final text goes out now, and says what is left of it. */
  async close(turnId: TurnId): Promise<PreviewLeft | undefined> {
    const presenter = this.#live.get(turnId);
    this.#live.delete(turnId);
    this.#remember(turnId, this.#left.get(turnId));
    if (presenter !== undefined) this.#remember(turnId, await presenter.close());
    return this.#left.get(turnId);
  }

  /** The final text of a turn is out, or given up. */
  forget(turnId: TurnId): void {
    this.#remember(turnId, { state: "none" });
  }

  /** Lets go of turns nobody writes any more, and takes away the previews of those aborted without a text. */
  async sweep(): Promise<void> {
    const now = this.#context.clock.now();
    for (const [turnId, presenter] of this.#live) {
      const silentMs = now - presenter.lastFrameAt;
      const isAborted =
        presenter.endedAs === "aborted" && silentMs > abortedForMs && this.#mayShow(presenter.place.conversation);
      if (!isAborted && silentMs < forgottenAfterMs) continue;
      this.#live.delete(turnId);
      await presenter.discard();
      this.#abandoned.add(turnId);
    }
    await this.#abandoned.takeAway();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#live.values()].map((presenter) => presenter.close()));
    this.#live.clear();
  }

  #start(frame: Extract<StreamFrame, { type: "started" }>): void {
    const { turnId, conversation, replyTo } = frame;
    if (conversation.accountId !== this.#context.accountId || !this.#hasRoom()) return;
    const place = { turnId, conversation, ...(replyTo === undefined ? {} : { replyTo }) };
    this.#feed(this.#present(place), frame);
  }

  #present(place: Presenter["place"]): Presenter {
    const presenter = new Presenter(place, this.#context, () => this.#mayShow(place.conversation));
    this.#live.set(place.turnId, presenter);
    return presenter;
  }

  #feed(presenter: Presenter, frame: StreamFrame): void {
    presenter.frame(frame);
    if (presenter.text.hasGap && !this.#reading.has(presenter.turnId)) void this.#read(presenter.turnId, []);
  }

  /**
   * Reads what frames were lost, and where the reply goes when its first frame was: again and again, at a pace, while
   * the text has a gap. Never rejects.
   */
  async #read(turnId: TurnId, frames: StreamFrame[]): Promise<void> {
    const { turns, clock, log, stopping } = this.#context;
    this.#reading.set(turnId, frames);
    do {
      try {
        const draft = await turns.draft(turnId);
        if (draft !== undefined) this.#repair(draft, frames);
      } catch (error) {
        log.debug({ turnId, error }, "a reply's draft was not read");
      }
      await clock.sleep(draftPauseMs, stopping).catch(() => undefined);
    } while (!stopping.aborted && this.#live.get(turnId)?.text.hasGap);
    this.#reading.delete(turnId);
  }

  #repair(draft: TurnDraft, frames: readonly StreamFrame[]): void {
    const { turnId, route: conversation, replyTo, state } = draft;
    const isOurs = conversation.accountId === this.#context.accountId;
    if (!isOurs || state !== "running" || this.#left.has(turnId) || this.#context.stopping.aborted) return;
    const place = { turnId, conversation, ...(replyTo === undefined ? {} : { replyTo }) };
    const presenter = this.#live.get(turnId) ?? this.#present(place);
    for (const frame of frames) presenter.frame(frame);
    presenter.text.repair(draft);
    presenter.look();
  }

  #hasRoom(): boolean {
    return this.#live.size + this.#reading.size < maxPresenters;
  }

  #remember(turnId: TurnId, left: PreviewLeft | undefined): void {
    this.#left.delete(turnId);
    this.#left.set(turnId, left);
    const [oldest] = this.#left.keys();
    if (this.#left.size > maxRemembered && oldest !== undefined) this.#left.delete(oldest);
  }
}
