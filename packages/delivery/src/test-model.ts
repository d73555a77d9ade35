import type { ReplyView } from "@talaria/adapter";
import {
  brandAs,
  type DeliveryKey,
  GatewayError,
  type MessageId,
  type OutboundMessage,
  type TurnId,
} from "@talaria/protocol";
import type { OutboxOutcome, OutboxPart, OutboxRow, OutboxText, OutboxUpdate, Preview } from "@talaria/store";
import type { GrowingReply } from "./growing-reply.ts";
import type { LaneIo, News } from "./lane-io.ts";
import type { PlaceFacts } from "./place.ts";
import type { Answer, Call } from "./reply-message.ts";
import type { Said } from "./row-words.ts";
import { withMark } from "./sent-again.ts";
import { ModelOutbox } from "./test-model-outbox.ts";

/** How a call ends. `lost`: without an answer, before or after its effect; `gone`: somebody has deleted the message. */
export type Outcome =
  | "ok"
  | "lost-before"
  | "lost-after"
  | "busy"
  | "forbidden"
  | "too-large"
  | "gone"
  | { readonly limitedMs: number };

/** The gateway dies: nothing of its memory is left. */
export class Death extends Error {}

export interface Standing {
  readonly key: DeliveryKey;
  text: string;
}

/** One conversation on a platform, the outbox, and time: everything a lane asks for, as one history has it. */
export class ModelWorld implements LaneIo {
  readonly outbox = new ModelOutbox();
  readonly messages = new Map<MessageId, Standing>();
  readonly violations: string[] = [];
  /** Turns whose answer nobody may have any more. */
  readonly shut = new Set<TurnId>();
  /** How many texts were committed before a reply began: they come first. */
  readonly before = new Map<DeliveryKey, number>();
  /** A preview that could not be deleted stays. */
  readonly stuck = new Set<DeliveryKey>();
  isStopping = false;
  time = 1_000_000;
  readonly #facts: PlaceFacts;
  readonly #outcomes: Outcome[];
  readonly #deaths: ReadonlySet<number>;
  readonly #storeFaults: ReadonlySet<number>;
  readonly #taken = new Set<string>();
  #closedUntil = 0;
  #posted = 0;
  #steps = 0;
  #writes = 0;
  #repeats = 0;

  constructor(
    facts: PlaceFacts,
    outcomes: readonly Outcome[],
    deaths: readonly number[],
    storeFaults: readonly number[],
  ) {
    this.#facts = facts;
    this.#outcomes = [...outcomes];
    this.#deaths = new Set(deaths);
    this.#storeFaults = new Set(storeFaults);
  }

  /** The next gateway knows nothing of closed windows, nor of texts that wait for their time. */
  restart(): void {
    this.#closedUntil = 0;
    this.isStopping = false;
    this.before.clear();
  }

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time;
  }

  random(): number {
    return 0.5;
  }

  facts(): PlaceFacts {
    return this.#facts;
  }

  begin(): void {
    if (this.isStopping) throw new GatewayError("stopped", { code: "aborted" });
  }

  mayAnswer(turnId: TurnId): boolean {
    this.#step();
    return !this.shut.has(turnId);
  }

  split(row: OutboxRow): readonly OutboxPart[] {
    return row.markdown.split(" ").map(partOf);
  }

  splitSmaller({ markdown }: OutboxPart): readonly OutboxPart[] {
    return [`${markdown}<`, `${markdown}>`].map((text) => ({ ...partOf(text), error: "too_large" }));
  }

  sentAgain(part: OutboxPart, said: Said): readonly OutboxPart[] {
    return [withMark(part, said)];
  }

  fit(reply: GrowingReply): string {
    return reply.text.text;
  }

  pace(): void {
    this.begin();
    this.time = Math.max(this.time, this.#closedUntil);
  }

  paceNow(): boolean {
    return !this.isStopping && this.time >= this.#closedUntil && this.#posted % 3 !== 0;
  }

  pacePreview(): number {
    return Math.max(0, this.#closedUntil - this.time);
  }

  /** Now and then the platform does not seem to work. */
  repeatInMs(): number {
    this.#step();
    this.#repeats += 1;
    return this.#repeats % 3 === 0 ? 5_000 : 0;
  }

  /** Nothing is asked here. */
  question(): undefined {
    return undefined;
  }

  replaced(): undefined {
    return undefined;
  }

  closed(): string {
    return "";
  }

  addText(text: OutboxText): void {
    this.#write(() => this.outbox.add(text, this.time));
  }

  saveRow(update: OutboxUpdate): OutboxOutcome {
    this.#write(() => this.outbox.update(update, this.time));
    return "written";
  }

  preview(turnId: TurnId): Preview | undefined {
    this.#step();
    return this.outbox.previews.get(turnId);
  }

  savePreview(turnId: TurnId, preview: Preview): void {
    this.#write(() => this.outbox.previews.set(turnId, preview));
  }

  forgetPreview(turnId: TurnId): void {
    this.#write(() => this.outbox.previews.delete(turnId));
  }

  call(call: Call): Answer {
    if (this.time < this.#closedUntil) this.violations.push(`${call.kind} in a closed window`);
    const key = "message" in call ? call.message.deliveryKey : undefined;
    if (key !== undefined && (call.kind === "send" || call.kind === "finish")) this.#checkIntent(key);
    if (key !== undefined && !call.isFinal) this.#checkPlace(key);
    this.#step();
    const outcome = this.#next(call);
    if (outcome === "gone" && "messageId" in call) this.messages.delete(call.messageId);
    const error = errorOf(outcome, call);
    if (outcome !== "ok" && outcome !== "lost-after") {
      if (typeof outcome === "object") this.#closedUntil = this.time + outcome.limitedMs;
      if (call.kind === "remove") this.#stuck(call.messageId);
      return { error: error ?? new GatewayError("gone", { code: "not_found" }) };
    }
    const answer = this.#effect(call);
    this.#step();
    return error === undefined ? answer : { error };
  }

  tell(news: News): void {
    if (news.type === "broke") throw news.error;
  }

  /** Everything posted there under one of these keys. */
  standing(keys: readonly DeliveryKey[]): readonly Standing[] {
    return [...this.messages.values()].filter(({ key }) => keys.includes(key));
  }

  /** What a platform has taken before is not too large. */
  #next(call: Call): Outcome {
    const next = this.#outcomes.shift() ?? "ok";
    const isTaken = "message" in call && this.#taken.has(call.message.markdown);
    return next === "too-large" && isTaken ? "ok" : next;
  }

  #effect(call: Call): Answer {
    switch (call.kind) {
      case "send":
        return { messageId: (this.#facts.recognises && this.#known(call.message)) || this.#post(call.message) };
      case "find": {
        const messageId = this.#known(call.message);
        return messageId === undefined ? {} : { messageId };
      }
      case "edit": {
        const found = this.messages.get(call.messageId);
        if (found === undefined) return { error: new GatewayError("gone", { code: "not_found" }) };
        found.text = call.message.markdown;
        this.#taken.add(found.text);
        return {};
      }
      case "remove":
        this.messages.delete(call.messageId);
        return {};
      case "open":
        return { view: {} as ReplyView };
      case "finish":
        return { messageId: this.#post(call.message) };
      default:
        return {};
    }
  }

  #known({ deliveryKey }: OutboundMessage): MessageId | undefined {
    for (const [id, { key }] of this.messages) if (key === deliveryKey) return id;
    return undefined;
  }

  #post({ deliveryKey, markdown }: OutboundMessage): MessageId {
    this.#posted += 1;
    const id = brandAs<MessageId>(`m${this.#posted}`);
    this.#taken.add(markdown);
    this.messages.set(id, { key: deliveryKey, text: markdown });
    return id;
  }

  #stuck(messageId: MessageId): void {
    const found = this.messages.get(messageId);
    if (found !== undefined) this.stuck.add(found.key);
  }

  #checkPlace(key: DeliveryKey): void {
    const earlier = this.outbox.rows.slice(0, this.before.get(key) ?? 0);
    if (earlier.some(({ state }) => state === "pending")) this.violations.push(`${key} has overtaken a text`);
  }

  #checkIntent(key: DeliveryKey): void {
    const previewed = [...this.outbox.previews].some(([turnId]) => key === `preview:${turnId}`);
    const sending = this.outbox.rows.some(({ row }) =>
      row.parts?.some(({ state }, index) => state === "sending" && `${row.deliveryKey}#${index}` === key),
    );
    if (!previewed && !sending) this.violations.push(`${key} was posted without a stored intent`);
  }

  /** Before and after everything that leaves the gateway it may die. */
  #step(): void {
    this.#steps += 1;
    if (this.#deaths.has(this.#steps)) throw new Death();
  }

  /** A write can be refused; one for which the store is away waits until it is back. */
  #write(write: () => void): void {
    this.#step();
    this.#writes += 1;
    if (this.#storeFaults.has(this.#writes)) {
      if (this.#writes % 2 === 0) throw new GatewayError("refused", { code: "internal" });
      this.time += 30_000;
    }
    write();
    this.#step();
  }
}

function partOf(markdown: string): OutboxPart {
  return { markdown, attachments: [], state: "pending", attempts: 0, unknown: 0 };
}

function errorOf(outcome: Outcome, call: Call): GatewayError | undefined {
  if (typeof outcome === "object")
    return new GatewayError("slow down", { code: "rate_limited", retryAfterMs: outcome.limitedMs });
  switch (outcome) {
    case "ok":
      return undefined;
    case "lost-before":
    case "lost-after":
      return new GatewayError("no answer", { code: "unavailable" });
    case "busy":
      return new GatewayError("busy", { code: "unavailable", effect: "none" });
    case "forbidden":
      return new GatewayError("forbidden", { code: "forbidden" });
    case "too-large":
      return new GatewayError("too large", { code: "too_large" });
    case "gone":
      return new GatewayError("gone", { code: "messageId" in call ? "not_found" : "forbidden" });
    default:
      return outcome satisfies never;
  }
}
