import { createHmac } from "node:crypto";
import type { SecretText, WebhookConfig } from "../config.ts";

/** 2026-01-01, on a whole second. */
export const nowMs = Date.UTC(2026, 0, 1);
export const nowSeconds = nowMs / 1000;

export const plainSecret = "n4jYQ-Wq0ZkX7rT_bL2v-plain";

export function secretOf(text: string): SecretText {
  return { reveal: () => text };
}

/** A route with one plain secret that answers into a conversation. */
export function routeWith(facts: Partial<WebhookConfig> = {}): WebhookConfig {
  return {
    route: "ci",
    scheme: "hmac",
    secrets: [secretOf(plainSecret)],
    prompt: "{{ body.text }}",
    answer: { kind: "deliver" },
    maxBodyBytes: 1_048_576,
    unsafe_no_replay: false,
    unsafe_repeated_body: false,
    ...facts,
  };
}

export function hexOf(body: string, secret = plainSecret): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
