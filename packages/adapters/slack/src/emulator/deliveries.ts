import { randomUUID } from "node:crypto";

/** What an app is told: an event, a slash command, or a press of a button. */
export interface Delivery {
  readonly kind: "events_api" | "slash_commands" | "interactive";
  readonly payload: Readonly<Record<string, unknown>>;
  /** The message it is about, as far as a test counts those. */
  readonly messageKey?: string;
  attempts: number;
  isAcknowledged: boolean;
  /** What the app answered. */
  answer?: unknown;
}

export type RetryReason = "timeout" | "http_error";

/** A way to the app. True when the app said that it has it, false at the latest after the silence Slack bears. */
export interface Transport {
  post(
    delivery: Delivery,
    envelopeId: string,
    retry: { readonly num: number; readonly reason: RetryReason },
  ): Promise<boolean>;
}

export interface RedeliveryRules {
  /** An app that is silent for so long did not get it. */
  readonly silenceMs: number;
  /** Pauses before the second, third and last attempt. */
  readonly pausesMs: readonly number[];
}

/** What Slack does: three more attempts. */
export const slackRedelivery: RedeliveryRules = { silenceMs: 3_000, pausesMs: [0, 60_000, 300_000] };

/**
 * Brings deliveries to the app. The next one begins when the one before has been answered or has met silence, so they
 * arrive in order unless a test asks otherwise; repetitions come when they are due. Commands and presses come once.
 */
export class Deliveries {
  readonly sent: Delivery[] = [];
  readonly #rules: RedeliveryRules;
  readonly #timers = new Set<NodeJS.Timeout>();
  transport: Transport | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #held: Delivery | undefined;
  #isReversing = false;
  #isStopped = false;

  constructor(rules: RedeliveryRules) {
    this.#rules = rules;
  }

  add(kind: Delivery["kind"], payload: Delivery["payload"], messageKey?: string): Delivery {
    const delivery: Delivery = {
      kind,
      payload,
      attempts: 0,
      isAcknowledged: false,
      ...(messageKey === undefined ? {} : { messageKey }),
    };
    this.sent.push(delivery);
    if (this.#isReversing) {
      this.#isReversing = false;
      this.#held = delivery;
      return delivery;
    }
    this.#queue(delivery);
    if (this.#held !== undefined) this.#queue(this.#held);
    this.#held = undefined;
    return delivery;
  }

  /** The next delivery lets the one after it overtake. */
  reverseNext(): void {
    this.#isReversing = true;
  }

  /** Hands over once more what was handed over before, as Slack does when an answer got lost. */
  repeat(delivery: Delivery): void {
    this.#queue(delivery);
  }

  /** Messages that the app said it has. */
  acknowledgedMessages(): ReadonlySet<string> {
    const done = this.sent.filter(({ isAcknowledged }) => isAcknowledged);
    return new Set(done.flatMap(({ messageKey }) => messageKey ?? []));
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #queue(delivery: Delivery): void {
    this.#last = this.#last.then(() => this.#attempt(delivery));
  }

  async #attempt(delivery: Delivery): Promise<void> {
    if (this.#isStopped) return;
    const retry = { num: delivery.attempts, reason: "timeout" as const };
    delivery.attempts += 1;
    const isTaken = (await this.transport?.post(delivery, randomUUID(), retry)) ?? false;
    delivery.isAcknowledged ||= isTaken;
    const pauseMs = this.#rules.pausesMs[delivery.attempts - 1];
    if (delivery.isAcknowledged || this.#isStopped || pauseMs === undefined || delivery.kind !== "events_api") return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#queue(delivery);
    }, pauseMs);
    this.#timers.add(timer);
  }

  get silenceMs(): number {
    return this.#rules.silenceMs;
  }
}
