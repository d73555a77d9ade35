import type { GatewayError, MessageId, MessageRef, OutboundMessage, TurnId } from "@talaria/protocol";
import type { OutboxPart, OutboxRow, OutboxUpdate } from "@talaria/store";
import { afterFailure, type Decision } from "./after-failure.ts";
import { callPlatform } from "./call-platform.ts";
import { type AccountContext, store } from "./context.ts";
import { capabilitiesFor, messageOf, partsOf, smallerParts, withoutFiles, writeInto } from "./parts.ts";
import { isShown, type PreviewLeft, previewKey } from "./preview-left.ts";
import { isShutOut, takePreviewAway } from "./shut-out.ts";

/** The row is sent or given up, or it is due again some time from now and its lane waits for it. */
export type RowResult = "finished" | { readonly retryInMs: number };

const callMs = 120_000;

/**
 * Brings one text to its conversation, part by part. The intent to call is stored before each call and its result
 * after it, so that whoever takes over after a crash knows which call has an unknown outcome. Such a call is repeated
 * only where the platform recognises it, or once, and then it is marked.
 */
export class RowDelivery {
  readonly #row: OutboxRow;
  readonly #context: AccountContext;
  #parts: readonly OutboxPart[];
  #preview: PreviewLeft;
  /** The part whose token is taken and whose intent is stored. */
  #begun: number | undefined;
  /** Why the row was given up. */
  error: string | undefined;
  /** An update is under way, or was refused. */
  #saving = false;

  constructor(row: OutboxRow, preview: PreviewLeft, context: AccountContext) {
    this.#row = row;
    this.#context = context;
    this.#parts = row.parts ?? [];
    const isPostedAnew = row.parts?.[0]?.state === "sending" && preview.state !== "unknown";
    this.#preview = isPostedAnew ? { state: "none" } : preview;
  }

  /**
   * Rejects with the stop signal's reason, or when the store refuses an update. A row for which the adapter throws
   * something outside its calls is given up: it would do so again.
   */
  async run(): Promise<RowResult> {
    try {
      return await this.#deliverAll();
    } catch (error) {
      if (this.#saving || this.#context.stopping.aborted) throw error;
      const { log, accountId } = this.#context;
      log.error({ accountId, deliveryKey: this.#row.deliveryKey, error }, "a text could not be made into messages");
      return this.#finish("failed", "internal");
    }
  }

  async #deliverAll(): Promise<RowResult> {
    if (await isShutOut(this.#row, this.#context)) return this.#refuse();
    if (this.#row.parts === undefined) await this.#split();
    for (let index = 0; index < this.#parts.length; ) {
      if (this.#part(index).state === "sent") index += 1;
      else {
        const result = await this.#deliver(index);
        if (result !== undefined) return result;
      }
    }
    return "finished";
  }

  /** Nothing more of the text goes out. */
  async #refuse(): Promise<RowResult> {
    await takePreviewAway(this.#row, this.#preview, this.#context);
    const open = this.#parts.findIndex(({ state }) => state !== "sent");
    return open === -1 ? this.#finish("failed", "not_allowed") : this.#giveUp(open, "not_allowed");
  }

  async #split(): Promise<void> {
    const { adapter, metrics, accountId } = this.#context;
    const parts = await partsOf(this.#row, adapter, this.#isPreviewed(), this.#pause);
    const doubtful = this.#preview.state === "unknown" && this.#recognised(0) === undefined;
    if (doubtful) metrics.outcomeUnknown(accountId);
    this.#parts = parts.map((part, index) => (doubtful && index === 0 ? { ...part, unknown: 1 } : part));
  }

  /** The first part is shown already, and will be written there. */
  #isPreviewed(): boolean {
    const { state } = this.#preview;
    return state === "posted" || state === "view" || this.#recognised(0) !== undefined;
  }

  /** One call for one part. Undefined: look at the parts again. */
  async #deliver(index: number): Promise<RowResult | undefined> {
    if (this.#begun !== index) {
      if (this.#part(index).state === "sending") {
        const result = await this.#resolve(index);
        if (result !== "unresolved") return result;
      }
      await this.#takeToken();
      await this.#begin(index);
    }
    this.#begun = undefined;
    const call = await this.#call(index);
    return "messageId" in call ? this.#confirm(index, call.messageId) : this.#fail(index, call.error);
  }

  /** The preview's message, while part `index` is to be written by editing it. */
  #edited(index: number): MessageId | undefined {
    return index === 0 && this.#preview.state === "posted" ? this.#preview.messageId : undefined;
  }

  /** The turn of a preview that was perhaps posted, while part `index` takes its place on a platform that knows its key. */
  #recognised(index: number): TurnId | undefined {
    if (index !== 0 || this.#preview.state !== "unknown") return undefined;
    return this.#context.adapter.capabilities.idempotentSend ? this.#row.turnId : undefined;
  }

  async #call(index: number): Promise<{ readonly messageId: MessageId } | { readonly error: GatewayError }> {
    const { adapter, clock, hangUp } = this.#context;
    const message = messageOf(this.#row, this.#part(index), index);
    const edited = this.#edited(index);
    const doubtful = this.#recognised(index);
    const view = index === 0 && this.#preview.state === "view" ? this.#preview.view : undefined;
    if (edited !== undefined && isShown(message, this.#preview)) return { messageId: edited };
    try {
      return await callPlatform(clock, callMs, hangUp, async (signal) => {
        if (view !== undefined) return view.finish(message, signal);
        if (doubtful !== undefined) return this.#replace(doubtful, message, signal);
        if (edited === undefined) return adapter.send(message, signal);
        return writeInto(edited, message, adapter, signal);
      });
    } catch (error) {
      if (view !== undefined) this.#preview = { state: "none" };
      return { error: error as GatewayError };
    }
  }

  /**
   * Sent by the key of the preview, so that it is that message if there is one; an edit makes its text the right one. The id is
   * stored between the two, since platforms recognise a key for some minutes only.
   */
  async #replace(turnId: TurnId, message: OutboundMessage, signal: AbortSignal): Promise<MessageRef> {
    const { adapter, outbox, lease } = this.#context;
    const { messageId } = await adapter.send({ ...message, deliveryKey: previewKey(turnId) }, signal);
    this.#preview = { state: "posted", messageId };
    await outbox.savePreview(lease, turnId, this.#preview);
    return writeInto(messageId, message, adapter, signal);
  }

  async #takeToken(): Promise<void> {
    const { adapter, pacing, stopping } = this.#context;
    const { conversationPace } = capabilitiesFor(adapter, this.#row.conversation);
    await pacing.take(this.#row.conversation.conversationId, conversationPace, stopping);
  }

  /** Stores the intent. An edit needs none: it is safe to repeat. */
  async #begin(index: number): Promise<void> {
    this.#change(index, { state: this.#edited(index) === undefined ? "sending" : "pending" }, 1);
    if (this.#edited(index) === undefined || this.#row.parts === undefined) await this.#save({ state: "pending" });
  }

  /** Finds out what became of a call whose outcome is unknown. `unresolved`: it may be made again. */
  async #resolve(index: number): Promise<RowResult | undefined | "unresolved"> {
    const { adapter, clock, hangUp } = this.#context;
    const part = this.#part(index);
    if (adapter.capabilities.idempotentSend) return "unresolved";
    if (adapter.findSent !== undefined) {
      await this.#takeToken();
      const message = messageOf(this.#row, part, index);
      try {
        const found = await callPlatform(clock, callMs, hangUp, async (signal) => adapter.findSent?.(message, signal));
        if (found !== undefined) return this.#confirm(index, found.messageId);
      } catch (error) {
        const decision = this.#decide(index, error as GatewayError);
        if (decision.kind === "retry" || decision.kind === "rate-limited") {
          return this.#later(index, decision, "sending");
        }
      }
    }
    if (part.unknown > 0) return this.#giveUp(index, "unknown_outcome");
    this.#change(index, { unknown: part.unknown + 1 });
    return "unresolved";
  }

  /** Stores the message's id and, when nothing makes it wait, the intent for the next part: one update. */
  async #confirm(index: number, messageId: MessageId): Promise<RowResult | undefined> {
    const { adapter, metrics, pacing, accountId } = this.#context;
    const { error: _, ...part } = this.#part(index);
    this.#parts = this.#parts.with(index, { ...part, state: "sent", messageId });
    metrics.delivered(accountId);
    const next = index + 1;
    if (next === this.#parts.length) return this.#finish("sent");
    const { conversationPace } = capabilitiesFor(adapter, this.#row.conversation);
    const isFree = pacing.tryTake(this.#row.conversation.conversationId, conversationPace) === 0;
    if (isFree && !this.#context.stopping.aborted) {
      this.#change(next, { state: "sending" }, 1);
      this.#begun = next;
    }
    await this.#save({ state: "pending" });
    return undefined;
  }

  async #fail(index: number, error: GatewayError): Promise<RowResult | undefined> {
    const { metrics, log, accountId } = this.#context;
    const decision = this.#decide(index, error);
    const { deliveryKey } = this.#row;
    metrics.deliveryFailed(accountId, error.code);
    log.warn(
      { accountId, deliveryKey, code: error.code, decision: decision.kind, error },
      "a call to a platform failed",
    );
    switch (decision.kind) {
      case "rate-limited":
        return this.#later(index, decision, "pending");
      case "retry":
        if (decision.unknown) metrics.outcomeUnknown(accountId);
        return this.#later(index, decision, decision.unknown ? "sending" : "pending");
      case "post-anew":
        this.#preview = { state: "none" };
        this.#change(index, { state: "pending" });
        return undefined;
      case "split-smaller": {
        const smaller = await smallerParts(this.#part(index), this.#context.adapter, this.#pause);
        if (smaller.length < 2 && this.#part(index).attachments.length === 0) return this.#giveUp(index, error.code);
        this.#parts = this.#parts.toSpliced(index, 1, ...smaller);
        return undefined;
      }
      case "give-up": {
        const part = this.#part(index);
        if (part.attachments.length === 0 || error.effect !== "none") return this.#giveUp(index, decision.reason);
        this.#parts = this.#parts.toSpliced(index, 1, ...withoutFiles(part, "the platform refused it"));
        return undefined;
      }
      default:
        return decision satisfies never;
    }
  }

  #decide(index: number, error: GatewayError): Decision {
    const { adapter, clock, random } = this.#context;
    const ageMs = clock.now() - Date.parse(this.#row.createdAt);
    const wasEdit = this.#edited(index) !== undefined;
    const canTell = adapter.capabilities.idempotentSend || adapter.findSent !== undefined;
    return afterFailure(error, { part: this.#part(index), wasEdit, canTell, ageMs }, random);
  }

  async #later(
    index: number,
    decision: Extract<Decision, { kind: "retry" | "rate-limited" }>,
    state: "pending" | "sending",
  ): Promise<RowResult> {
    const { adapter, pacing, metrics, accountId } = this.#context;
    const { conversation } = this.#row;
    if (decision.kind === "rate-limited") {
      const closed = decision.scope === "account" ? undefined : conversation.conversationId;
      pacing.close(closed, capabilitiesFor(adapter, conversation).conversationPace, decision.waitMs);
      metrics.rateLimited(accountId, decision.waitMs);
      this.#change(index, { state }, -1);
    } else this.#change(index, { state });
    await this.#save({ state: "pending", retryInMs: decision.waitMs });
    return { retryInMs: decision.waitMs };
  }

  #giveUp(index: number, error: string): Promise<RowResult> {
    this.#change(index, { state: "failed", error });
    return this.#finish("failed", error);
  }

  async #finish(state: "sent" | "failed", error?: string): Promise<RowResult> {
    this.error = error;
    await this.#save(error === undefined ? { state } : { state, error });
    const { clock, metrics, log, accountId } = this.#context;
    const { deliveryKey, conversation, createdAt } = this.#row;
    const durationMs = Math.max(0, clock.now() - Date.parse(createdAt));
    const fields = { accountId, conversationId: conversation.conversationId, deliveryKey, durationMs };
    if (state === "sent") {
      metrics.stage("answered_to_delivered", durationMs);
      log.info(fields, "message delivered");
    } else log.error({ ...fields, code: error }, "message given up");
    return "finished";
  }

  async #save(update: Pick<OutboxUpdate, "state" | "retryInMs" | "error">): Promise<void> {
    const { outbox, lease } = this.#context;
    this.#saving = true;
    await store(this.#context, () => outbox.update(lease, { id: this.#row.id, parts: this.#parts, ...update }));
    this.#saving = false;
  }

  readonly #pause = () => this.#context.clock.sleep(0, this.#context.stopping);

  #part(index: number): OutboxPart {
    const part = this.#parts[index];
    if (part === undefined) throw new RangeError("a text has no such part");
    return part;
  }

  #change(index: number, change: Partial<OutboxPart>, attempts = 0): void {
    const part = this.#part(index);
    this.#parts = this.#parts.with(index, { ...part, ...change, attempts: Math.max(0, part.attempts + attempts) });
  }
}
