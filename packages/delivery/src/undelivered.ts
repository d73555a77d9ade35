import { brandAs, type DeliveryKey, type ErrorCode } from "@talaria/protocol";
import type { OutboxRow, OutboxText } from "@talaria/store";
import type { FailureReason } from "./lane-io.ts";
import { saidIn } from "./row-words.ts";

/** Nobody is there to be told, or may be. */
const untold: ReadonlySet<ErrorCode | FailureReason> = new Set<ErrorCode | FailureReason>([
  "not_allowed",
  "forbidden",
  "not_found",
  "unauthorized",
]);

/**
 * What a conversation is told when an answer, or a question with buttons, was given up. It is a text like any other, so it comes once
 * the conversation can be reached. A group is told once an hour.
 */
export function undelivered(row: OutboxRow, reason: ErrorCode | FailureReason): OutboxText | undefined {
  const { deliveryKey, kind, conversation, choices = [], privateTo, replyTo, sessionKey } = row;
  const isAwaited = kind === "reply" || choices.length > 0;
  if (!isAwaited || privateTo !== undefined || untold.has(reason)) return undefined;
  return {
    deliveryKey: brandAs<DeliveryKey>(`undelivered:${deliveryKey}`),
    kind: "notice",
    conversation,
    markdown: saidIn(row).undelivered,
    attachments: [],
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(sessionKey === undefined ? {} : { sessionKey }),
    operational: { topic: "undelivered" },
  };
}
