import { createHmac } from "node:crypto";
import { systemClock } from "@talaria/protocol";
import { repeatUntilTaken, type WebhookRetry } from "@talaria/testkit";

/** Meta waits longer from time to time, for up to seven days; tests cannot. */
export const quickWhatsappRetry: WebhookRetry = { firstMs: 10, maxMs: 200, timeoutMs: 10_000 };

/** One update of a notification: a message or a status, with the contact it concerns. */
export interface Update {
  readonly lane: string;
  readonly messages?: readonly object[];
  readonly statuses?: readonly object[];
  readonly contacts?: readonly object[];
  /** Ids to count as handed over once the callback answered 200. */
  readonly ids: readonly string[];
}

export interface PusherParts {
  readonly appSecret: string;
  readonly retry: WebhookRetry;
  /** Wraps updates into the body of one notification. */
  readonly notificationOf: (updates: readonly Update[]) => object;
}

/**
 * Posts updates to the callback, each lane in order and all lanes at the same time, again and again until the callback
 * answers 200. Updates pushed within `together` go in one notification.
 */
export class WebhookPusher {
  readonly #parts: PusherParts;
  readonly #lanes = new Map<string, (readonly Update[])[]>();
  readonly #delivered = new Set<string>();
  readonly #stopping = new AbortController();
  #callback: string | undefined;
  #bundle: Update[] | undefined;
  #duplicates = 0;
  #overtakes = 0;
  /** Answers that were not 200. */
  failures = 0;

  constructor(parts: PusherParts) {
    this.#parts = parts;
  }

  set callback(url: string) {
    this.#callback = url;
    for (const lane of this.#lanes.keys()) void this.#serve(lane);
  }

  push(update: Update): void {
    if (this.#bundle !== undefined) return void this.#bundle.push(update);
    this.#enqueue(update.lane, [update]);
  }

  together(act: () => void): void {
    const bundle: Update[] = [];
    this.#bundle = bundle;
    try {
      act();
    } finally {
      this.#bundle = undefined;
    }
    if (bundle[0] !== undefined) this.#enqueue(bundle[0].lane, bundle);
  }

  /** The next `count` notifications arrive twice. */
  duplicateNext(count: number): void {
    this.#duplicates += count;
  }

  /** The next notification is overtaken by the one after it. */
  reverseNext(): void {
    this.#overtakes += 1;
  }

  isDelivered(id: string): boolean {
    return this.#delivered.has(id);
  }

  /** Notifications that wait for a 200. */
  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.length, 0);
  }

  /** Posts a body once, as it is; without a signature when it is null. */
  async post(body: string | Uint8Array, signature: string | null = this.signatureOf(body)): Promise<Response> {
    return fetch(this.#callback ?? "", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "facebookexternalua",
        ...(signature === null ? {} : { "x-hub-signature-256": signature }),
      },
      body: typeof body === "string" ? body : Buffer.from(body),
      redirect: "manual",
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#parts.retry.timeoutMs)]),
    });
  }

  signatureOf(body: string | Uint8Array): string {
    return `sha256=${createHmac("sha256", this.#parts.appSecret).update(body).digest("hex")}`;
  }

  stop(): void {
    this.#stopping.abort();
  }

  #enqueue(key: string, updates: readonly Update[]): void {
    const times = this.#duplicates > 0 ? 2 : 1;
    this.#duplicates = Math.max(0, this.#duplicates - 1);
    const lane = this.#lanes.get(key) ?? [];
    const isIdle = lane.length === 0;
    for (let n = 0; n < times; n += 1) lane.push(updates);
    this.#lanes.set(key, lane);
    if (isIdle) void this.#serve(key);
  }

  async #serve(key: string): Promise<void> {
    const { signal } = this.#stopping;
    const lane = this.#lanes.get(key);
    while (lane?.[0] !== undefined && this.#callback !== undefined && !signal.aborted) {
      if (this.#overtakes > 0) await this.#letOvertake(lane, signal);
      const updates = lane[0];
      await this.#deliver(updates, signal);
      if (signal.aborted) return;
      lane.splice(lane.indexOf(updates), 1);
    }
  }

  async #letOvertake(lane: (readonly Update[])[], signal: AbortSignal): Promise<void> {
    while (lane.length < 2 && !signal.aborted) await systemClock.sleep(5, signal).catch(() => undefined);
    if (signal.aborted) return;
    this.#overtakes -= 1;
    lane.splice(0, 2, ...lane.slice(0, 2).reverse());
  }

  async #deliver(updates: readonly Update[], signal: AbortSignal): Promise<void> {
    const { retry, notificationOf } = this.#parts;
    // Meta writes letters beyond ASCII as escapes, and signs those bytes.
    const body = JSON.stringify(notificationOf(updates)).replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    await repeatUntilTaken(retry, signal, async () => {
      const status = await this.post(body).then(
        async (response) => response.arrayBuffer().then(() => response.status),
        () => 0,
      );
      if (status === 200) for (const { ids } of updates) for (const id of ids) this.#delivered.add(id);
      else this.failures += 1;
      return status === 200;
    });
  }
}
