import { type Clock, GatewayError } from "@talaria/protocol";
import type { SendWakes, Wake } from "./connections.ts";
import { within } from "./deadline.ts";
import type { WakeQueue } from "./ports.ts";

const maxBatch = 200;
const answerMs = 1_000;

export interface WakeProducer extends Pick<WakeQueue, "wake" | "rewake"> {
  /** Later wake-ups are refused; those under way settle. */
  close(): void;
}

interface WaitingWake {
  readonly wake: Wake;
  readonly sent: PromiseWithResolvers<void>;
}

/**
 * Writes wake-ups into the queue: one round trip at a time, and whatever is asked for meanwhile goes together in the
 * next one. A wake-up of the same session in the same round trip is the same wake-up. Rejects with `unavailable` when
 * the backend does not take them within a second.
 */
export function createWakeProducer(
  sendWakes: SendWakes,
  clock: Clock,
  toFailure: (error: unknown) => GatewayError,
): WakeProducer {
  const waiting = new Map<string, WaitingWake>();
  let isSending = false;
  let isClosed = false;

  async function add(wake: Wake): Promise<void> {
    if (isClosed) throw new GatewayError("the queue is closed", { code: "aborted" });
    const id = wake.fence === undefined ? wake.key : `${wake.fence} ${wake.key}`;
    const known = waiting.get(id);
    if (known !== undefined) return await known.sent.promise;
    const sent = Promise.withResolvers<void>();
    waiting.set(id, { wake, sent });
    if (!isSending) {
      isSending = true;
      queueMicrotask(() => void sendAll());
    }
    await sent.promise;
  }

  async function sendAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, maxBatch);
      for (const [id] of batch) waiting.delete(id);
      await send(batch.map(([, one]) => one));
    }
    isSending = false;
  }

  async function send(batch: readonly WaitingWake[]): Promise<void> {
    const wakes = batch.map(({ wake }) => wake);
    try {
      await within(sendWakes(wakes), answerMs, clock, "the queue did not answer within a second");
      for (const { sent } of batch) sent.resolve();
    } catch (error) {
      for (const { sent } of batch) sent.reject(toFailure(error));
    }
  }

  return {
    wake: (key) => add({ key }),
    rewake: (key, fence) => add({ key, fence }),
    close: () => {
      isClosed = true;
    },
  };
}
