import { repeatUntilTaken, type WebhookRetry } from "@talaria/testkit";
import type { Update } from "grammy/types";
import type { UpdateQueue } from "./update-queue.ts";

export interface Webhook {
  readonly url: string;
  readonly secretToken?: string;
  readonly maxConnections: number;
}

export const quickRetry: WebhookRetry = { firstMs: 20, maxMs: 500, timeoutMs: 10_000 };

/**
 * Delivers a bot's updates to its webhook. Updates of one chat go one after the other and are repeated until the answer is 2xx;
 * different chats are served side by side, up to `maxConnections`.
 */
export class WebhookPusher {
  readonly #updates: UpdateQueue;
  readonly #retry: WebhookRetry;
  readonly #now: () => number;
  readonly #lanes = new Map<string, Update[]>();
  readonly #ready: string[] = [];
  /** An update that lets the next one overtake it. */
  #held: Update | undefined;
  #active = 0;
  #stop = new AbortController();
  webhook: Webhook | undefined;
  failure: { readonly at: number; readonly message: string } | undefined;

  constructor(updates: UpdateQueue, retry: WebhookRetry, now: () => number) {
    this.#updates = updates;
    this.#retry = retry;
    this.#now = now;
  }

  /** Starts to deliver everything that waits, or stops when there is no webhook. */
  set(webhook: Webhook | undefined): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#lanes.clear();
    this.#ready.length = 0;
    this.#active = 0;
    this.failure = undefined;
    this.webhook = webhook;
    this.#updates.onUpdate = webhook ? (update) => this.#accept(update) : undefined;
    if (webhook === undefined) return;
    for (const update of this.#updates.pending()) this.#enqueue(update);
    this.#pump(this.#stop.signal);
  }

  stop(): void {
    this.set(undefined);
  }

  #accept(update: Update): void {
    if (this.#updates.takeReverse()) {
      this.#held = update;
      return;
    }
    this.#enqueue(update);
    if (this.#held) this.#enqueue(this.#held);
    this.#held = undefined;
    this.#pump(this.#stop.signal);
  }

  #enqueue(update: Update): void {
    const key = laneOf(update);
    const lane = this.#lanes.get(key);
    if (lane) {
      lane.push(update);
      return;
    }
    this.#lanes.set(key, [update]);
    this.#ready.push(key);
  }

  #pump(signal: AbortSignal): void {
    while (this.webhook && this.#active < this.webhook.maxConnections) {
      const key = this.#ready.shift();
      if (key === undefined) return;
      this.#active += 1;
      void this.#serve(key, this.webhook, signal);
    }
  }

  /** Delivers the first update of a lane, then puts the lane at the end of the line. */
  async #serve(key: string, webhook: Webhook, signal: AbortSignal): Promise<void> {
    const lane = this.#lanes.get(key);
    const update = lane?.[0];
    if (lane && update) await this.#deliver(update, webhook, signal);
    if (signal.aborted) return;
    this.#active -= 1;
    lane?.shift();
    if (lane?.length) this.#ready.push(key);
    else this.#lanes.delete(key);
    this.#pump(signal);
  }

  /** Repeats until the webhook takes the update or is replaced. */
  async #deliver(update: Update, webhook: Webhook, signal: AbortSignal): Promise<void> {
    await repeatUntilTaken(this.#retry, signal, async () => {
      const problem = await this.#post(update, webhook, signal);
      if (signal.aborted) return true;
      if (problem === undefined) this.#updates.settle(update.update_id);
      else this.failure = { at: this.#now(), message: problem };
      return problem === undefined;
    });
  }

  /** Returns what went wrong, or undefined after a 2xx. */
  async #post(update: Update, webhook: Webhook, signal: AbortSignal): Promise<string | undefined> {
    try {
      const answer = await fetch(webhook.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(webhook.secretToken && { "x-telegram-bot-api-secret-token": webhook.secretToken }),
        },
        body: JSON.stringify(update),
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#retry.timeoutMs)]),
      });
      await answer.arrayBuffer();
      return answer.ok ? undefined : `Wrong response from the webhook: ${answer.status} ${answer.statusText}`;
    } catch (error) {
      return error instanceof Error && error.name === "TimeoutError" ? "Read timeout expired" : "Connection refused";
    }
  }
}

function laneOf(update: Update): string {
  const body = update.message ?? update.edited_message ?? update.callback_query?.message ?? update.message_reaction;
  return String(body?.chat.id ?? "");
}
