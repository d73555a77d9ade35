import { type Clock, isGatewayError } from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";
import { firstIdAt } from "./cursors.ts";
import type { Recorder } from "./recorder.ts";
import { read } from "./wire.ts";

const pageSize = 100;

export interface BackfillOptions {
  readonly client: DiscordClient;
  readonly clock: Clock;
  readonly channelId: string;
  /** The last message we have. */
  readonly after: bigint;
  /** Older messages are left alone: an answer would come as a surprise. */
  readonly catchUpMs: number;
  readonly recorder: Pick<Recorder, "recordMessage">;
}

/**
 * Fetches the messages of a channel that we missed and has them recorded, oldest first: all of the last `catchUpMs`.
 * `gone` when the channel is. Throws when Discord or the host has to be tried again.
 */
export async function backfill(options: BackfillOptions, signal: AbortSignal): Promise<"done" | "gone"> {
  const { clock, recorder, catchUpMs } = options;
  const oldest = firstIdAt(clock.now() - catchUpMs);
  let after = options.after > oldest ? options.after : oldest;
  while (true) {
    const page = await fetchPage(options, after, signal);
    if (page === undefined) return "gone";
    for (const message of page.messages) {
      if (signal.aborted) return "done";
      await recorder.recordMessage(message, false, signal);
      after = BigInt(message.id);
    }
    if (page.isLast) return "done";
  }
}

/**
 * The next messages, oldest first, without unreadable ones; undefined when the channel is gone. A channel we may not read has none.
 */
async function fetchPage({ client, channelId }: BackfillOptions, after: bigint, signal: AbortSignal) {
  const query = { after: String(after), limit: String(pageSize) };
  try {
    const answer = await client.call({ method: "GET", path: `/channels/${channelId}/messages`, query }, signal);
    const messages = (read.messages(answer) ?? []).sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    const isFull = Array.isArray(answer) && answer.length >= pageSize;
    return { messages, isLast: !isFull || messages.length === 0 };
  } catch (error) {
    if (isGatewayError(error, "not_found")) return undefined;
    if (isGatewayError(error, "forbidden")) return { messages: [], isLast: true };
    throw error;
  }
}
