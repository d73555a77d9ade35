import { createHmac } from "node:crypto";
import { equalSecrets } from "@talaria/adapter-kit";
import type { CloudConfig } from "../config.ts";

/** Meta's challenges have about ten digits. */
const longestChallenge = 256;

/** Whether `X-Hub-Signature-256` proves the raw bytes. Takes the same time wherever it differs. */
export function isSigned(headers: Headers, body: Uint8Array, { appSecret }: CloudConfig): boolean {
  const expected = createHmac("sha256", appSecret).update(body).digest("hex");
  return equalSecrets(headers.get("x-hub-signature-256") ?? "", `sha256=${expected}`);
}

/** Meta's question when the address is entered: the challenge to echo, or undefined to refuse. */
export function challengeOf(query: URLSearchParams, { verifyToken }: CloudConfig): string | undefined {
  const isKnown = equalSecrets(query.get("hub.verify_token") ?? "", verifyToken);
  const challenge = query.get("hub.challenge") ?? "";
  const isPlain = new RegExp(`^[\\w.-]{1,${longestChallenge}}$`).test(challenge);
  return isKnown && query.get("hub.mode") === "subscribe" && isPlain ? challenge : undefined;
}
