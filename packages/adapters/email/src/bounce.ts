import type { Receipt } from "@talaria/protocol";
import { canonicalAddress } from "./addresses.ts";
import { messageIdsIn } from "./message-ids.ts";

export interface Bounce {
  readonly status: Receipt["status"];
  readonly recipient: string;
  /** The Message-ID of the mail it is about. */
  readonly messageId: string;
  /** Without the server's words, which may repeat the mail. */
  readonly reason: string;
}

/** Reads a delivery report, RFC 3464. Undefined when it says nothing final, or not about what. */
export function parseBounce(status: string, about: string): Bounce | undefined {
  const fields = new Map<string, string>();
  for (const line of status.replace(/\r?\n(?=[ \t])/g, "").split(/\r?\n/)) {
    const [, name, value = ""] = /^([\w-]{1,60}):\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value.trim());
  }
  const outcome = outcomes.get(fields.get("action")?.toLowerCase() ?? "");
  const recipient = canonicalAddress(
    (fields.get("original-recipient") ?? fields.get("final-recipient") ?? "").replace(/^[^;]*;\s*/, ""),
  );
  const [messageId] = messageIdsIn(/^message-id:(.*(?:\r?\n[ \t].*)*)/im.exec(about)?.[1] ?? "");
  if (outcome === undefined || recipient === undefined || messageId === undefined) return undefined;
  const code = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(fields.get("status") ?? "")?.[0] ?? "no code";
  return {
    status: outcome,
    recipient,
    messageId,
    reason: `the mail server of the recipient reports ${fields.get("action")?.toLowerCase()} (${code})`,
  };
}

const outcomes: ReadonlyMap<string, Receipt["status"]> = new Map([
  ["failed", "failed"],
  ["delivered", "delivered"],
]);
