import type { SlackClient } from "./client.ts";
import { read } from "./wire.ts";

const pageSize = 100;
const mostPages = 5;

export interface BackfillOptions {
  readonly client: SlackClient;
  /** A channel, or `channel/thread`. */
  readonly place: string;
  /** The last message we have. */
  readonly after: string;
}

/**
 * What was said in a place after a message, oldest first, at most five hundred. Slack repeats an event for six minutes
 * only; what it gave up by then is found here.
 */
export async function missedIn(options: BackfillOptions, signal: AbortSignal): Promise<readonly unknown[]> {
  const { client, place, after } = options;
  const [channel = "", thread] = place.split("/");
  const method = thread === undefined ? "conversations.history" : "conversations.replies";
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await client.call(
      method,
      { channel, oldest: after, limit: pageSize, ...(thread && { ts: thread }), ...(cursor && { cursor }) },
      signal,
    );
    const { messages = [], has_more = false } = read.history(answer) ?? {};
    found.push(...messages);
    cursor = (answer.response_metadata as { next_cursor?: string } | undefined)?.next_cursor;
    if (!has_more || !cursor) break;
  }
  return found.toSorted((one, other) => (tsOf(one) < tsOf(other) ? -1 : 1)).filter((one) => tsOf(one) > after);
}

function tsOf(message: unknown): string {
  return read.posted(message)?.ts ?? "";
}
