import { type Clock, GatewayError, type SessionKey } from "@talaria/protocol";
import type { BulkJobOptions } from "bullmq";
import type { WakeJobs } from "./connections.ts";
import { within } from "./deadline.ts";
import type { WakeQueue } from "./ports.ts";

const maxBatch = 200;
const answerMs = 1_000;
/** How long repeated wake-ups of one sweep stay a single one. */
const sweepMs = 2_000;
const jobName = "wake";
const keptNowhere = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

export interface WakeProducer extends Pick<WakeQueue, "wake" | "rewake"> {
  /** Later wake-ups are refused; those under way settle. */
  close(): void;
}

interface WaitingWake {
  readonly key: SessionKey;
  readonly opts: BulkJobOptions;
  readonly sent: PromiseWithResolvers<void>;
}

/**
 * Writes wake-ups into the queue: one round trip at a time, and whatever is asked for meanwhile goes together in the
 * next one. A wake-up of the same session in the same round trip is the same wake-up. Rejects with `unavailable` when
 * the backend does not take them within a second.
 */
export function createWakeProducer(
  queue: WakeJobs,
  clock: Clock,
  toFailure: (error: unknown) => GatewayError,
): WakeProducer {
  const waiting = new Map<string, WaitingWake>();
  let isSending = false;
  let isClosed = false;

  async function add(key: SessionKey, deduplication: NonNullable<BulkJobOptions["deduplication"]>): Promise<void> {
    if (isClosed) throw new GatewayError("the queue is closed", { code: "aborted" });
    const known = waiting.get(deduplication.id);
    if (known !== undefined) return await known.sent.promise;
    const wake = { key, opts: { ...keptNowhere, deduplication }, sent: Promise.withResolvers<void>() };
    waiting.set(deduplication.id, wake);
    if (!isSending) {
      isSending = true;
      queueMicrotask(() => void sendAll());
    }
    await wake.sent.promise;
  }

  async function sendAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, maxBatch);
      for (const [id] of batch) waiting.delete(id);
      await send(batch.map(([, wake]) => wake));
    }
    isSending = false;
  }

  async function send(batch: readonly WaitingWake[]): Promise<void> {
    const jobs = batch.map(({ key, opts }) => ({ name: jobName, data: { key }, opts }));
    try {
      await within(queue.addBulk(jobs), answerMs, clock, "the queue did not answer within a second");
      for (const { sent } of batch) sent.resolve();
    } catch (error) {
      for (const { sent } of batch) sent.reject(toFailure(error));
    }
  }

  return {
    wake: (sessionKey) => add(sessionKey, { id: sessionKey, keepLastIfActive: true }),
    rewake: (sessionKey, fence) => add(sessionKey, { id: `sw_${sessionKey}_${fence}`, ttl: sweepMs }),
    close: () => {
      isClosed = true;
    },
  };
}
