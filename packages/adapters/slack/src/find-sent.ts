import type { OutboundMessage } from "@talaria/protocol";
import { z } from "zod";
import type { SlackClient } from "./client.ts";
import { keyOf, markType, placeOf } from "./outbound.ts";
import { read } from "./wire.ts";

const pageSize = 100;
const mostPages = 5;

const marked = z.object({
  ts: z.string(),
  metadata: z.object({ event_type: z.literal(markType), event_payload: z.object({ key: z.string() }) }),
});

/** The id of the message that carries our mark, among the last hundreds of its place. Undefined when it is not there. */
export async function findSent(
  client: SlackClient,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { channel, ...thread } = placeOf(message.conversation);
  const method = "thread_ts" in thread ? "conversations.replies" : "conversations.history";
  const where = "thread_ts" in thread ? { channel, ts: thread.thread_ts } : { channel };
  const key = keyOf(message.deliveryKey);
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const args = { ...where, limit: pageSize, include_all_metadata: true, ...(cursor && { cursor }) };
    const answer = await client.call(method, args, signal);
    const messages = (read.history(answer)?.messages ?? []).flatMap((one) => marked.safeParse(one).data ?? []);
    const found = messages.find(({ metadata }) => metadata.event_payload.key === key);
    if (found !== undefined) return found.ts;
    cursor = (answer.response_metadata as { next_cursor?: string } | undefined)?.next_cursor;
    if (!cursor) return undefined;
  }
  return undefined;
}
