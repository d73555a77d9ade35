import type { OutboxRow } from "@talaria/store";
import { ask, type Steps } from "./lane-io.ts";
import type { PlaceFacts } from "./place.ts";
import type { Message } from "./reply-message.ts";

/**
 * The message of an earlier notice that a text is written into. A group has one message then instead of two. Once the text is about to be
 * posted, since that message could not be changed, it stays with that.
 */
export function* replacedMessage(row: OutboxRow, { edits, isGroup }: PlaceFacts): Steps<Message> {
  const first = row.parts?.[0];
  const isPosted = first !== undefined && first.state !== "pending";
  if (row.replaces === undefined || !edits || !isGroup || isPosted) return { state: "none" };
  const messageId = yield* ask((io) => io.replaced(row));
  return messageId === undefined ? { state: "none" } : { state: "posted", messageId };
}

/** Another message is edited and says what this text says. */
export function saysNothingMore({ saidByEdit, parts }: OutboxRow, { closes, isGroup }: PlaceFacts): boolean {
  return saidByEdit === true && closes && isGroup && parts === undefined;
}
