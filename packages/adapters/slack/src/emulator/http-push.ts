import { createHmac } from "node:crypto";
import type { Delivery, Transport } from "./deliveries.ts";

export interface SignOptions {
  readonly secret: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
}

/** The headers with which Slack proves that a request comes from it. */
export function slackSignature(body: string, { secret, timestamp = Math.floor(Date.now() / 1_000) }: SignOptions) {
  const digest = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": String(timestamp), "x-slack-signature": `v0=${digest}` };
}

/** Events come as JSON; commands as a form, presses as a form with one field of JSON. */
export function requestOf({ kind, payload }: Pick<Delivery, "kind" | "payload">): { body: string; type: string } {
  if (kind === "events_api") return { body: JSON.stringify(payload), type: "application/json" };
  const fields = kind === "interactive" ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>);
  return { body: new URLSearchParams(fields).toString(), type: "application/x-www-form-urlencoded" };
}

/** Posts to the app's address. */
export class HttpPush implements Transport {
  readonly #url: string;
  readonly #secret: string;
  readonly #silenceMs: () => number;
  /** The statuses the app answered with. */
  readonly statuses: number[] = [];

  constructor(url: string, secret: string, silenceMs: () => number) {
    this.#url = url;
    this.#secret = secret;
    this.#silenceMs = silenceMs;
  }

  async post(delivery: Delivery, _id: string, retry: { num: number; reason: string }): Promise<boolean> {
    const { body, type } = requestOf(delivery);
    const repeated = { "x-slack-retry-num": String(retry.num), "x-slack-retry-reason": retry.reason };
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        body,
        headers: {
          "content-type": type,
          ...slackSignature(body, { secret: this.#secret }),
          ...(retry.num > 0 ? repeated : {}),
        },
        redirect: "manual",
        signal: AbortSignal.timeout(this.#silenceMs()),
      });
      delivery.answer = await response.text();
      this.statuses.push(response.status);
      return response.ok;
    } catch {
      return false;
    }
  }
}
