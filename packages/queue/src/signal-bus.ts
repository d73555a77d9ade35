import { type AccountId, type Clock, GatewayError, type Log, type ProcessId } from "@talaria/protocol";
import { reconnectPauseMs } from "./backoff.ts";
import { messageOf } from "./failures.ts";
import { OutgoingSignals } from "./outgoing-signals.ts";
import type { SignalBus, Subscription } from "./ports.ts";
import {
  decodeAccountSignals,
  decodeWorkerSignals,
  type EncodedSignal,
  encodeCancel,
  encodeDeliver,
  encodeFetch,
  encodeFrame,
  encodeSent,
  packSignals,
} from "./signal-codec.ts";
import type { SignalTransport } from "./signal-transport.ts";
import { createTopicReceivers } from "./topic-receivers.ts";

/**
 * After a send, a nudge waits this long instead of the transport's own pause: a reply that is committed is delivered at once,
 * though its last frame left a moment before. Where several nudges travelled together there is more to come, and all of
 * them wait.
 */
const nudgeGatherMs = 5;

export interface SignalBusDeps {
  readonly transport: SignalTransport;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Also sends what still waits when it is closed, as long as the backend takes it. */
export interface ClosableSignalBus extends SignalBus {
  close(): Promise<void>;
}

const accountTopic = (accountId: AccountId) => `account/${accountId}`;
const workerTopic = (worker: ProcessId) => `worker/${worker}`;

export function createSignalBus({ transport, log, clock, random }: SignalBusDeps): ClosableSignalBus {
  const outgoing = new OutgoingSignals();
  const receivers = createTopicReceivers(transport, log);
  const closing = new AbortController();
  let sending = Promise.resolve();
  let isSending = false;
  let dropped = 0;
  /** Ends the pause after a send. */
  let hurry = new AbortController();

  function publish(signal: EncodedSignal | undefined): void {
    if (closing.signal.aborted) return;
    if (signal === undefined) {
      log.debug({}, "signal is too long for the bus");
      return;
    }
    dropped += outgoing.push(signal);
    if (signal.isNudge) hurry.abort("nudged");
    if (isSending) return;
    isSending = true;
    sending = sendAll();
  }

  /** Runs while signals wait; what is published meanwhile travels with the next batch. */
  async function sendAll(): Promise<void> {
    let failures = 0;
    await Promise.resolve();
    while (!outgoing.isEmpty) {
      const batch = outgoing.take();
      hurry = new AbortController();
      try {
        await transport.send(packSignals(batch, transport.maxPayloadBytes));
        if (failures > 0 || dropped > 0) log.info({ dropped }, "signals are sent again");
        failures = 0;
        dropped = 0;
        await gather(batch);
      } catch (error) {
        if (failures === 0) log.warn({ reason: messageOf(error) }, "signals cannot be sent");
        if (closing.signal.aborted) break;
        failures += 1;
        dropped += keepForLater(batch);
        await pause(reconnectPauseMs(failures, random));
      }
    }
    isSending = false;
  }

  /** Nudges may arrive twice, frames may not. Returns how many signals are lost. */
  function keepForLater(batch: readonly EncodedSignal[]): number {
    const nudges = batch.filter((signal) => signal.isNudge);
    outgoing.putBack(nudges);
    return batch.length - nudges.length;
  }

  async function gather(sent: readonly EncodedSignal[]): Promise<void> {
    const { gatherMs } = transport;
    const isBusy = sent.filter(({ isNudge }) => isNudge).length > 1;
    const leastMs = isBusy ? gatherMs : Math.min(gatherMs, nudgeGatherMs);
    await pause(leastMs);
    await pause(gatherMs - leastMs, hurry.signal);
  }

  async function pause(ms: number, cutShort?: AbortSignal): Promise<void> {
    if (ms <= 0 || closing.signal.aborted) return;
    const signal = cutShort === undefined ? closing.signal : AbortSignal.any([closing.signal, cutShort]);
    await clock.sleep(ms, signal).catch(() => undefined);
  }

  function assertOpen(): void {
    if (closing.signal.aborted) throw new GatewayError("the signal bus is closed", { code: "aborted" });
  }

  return {
    frame: (frame) => publish(encodeFrame(accountTopic(frame.accountId), frame, transport.maxPayloadBytes)),
    deliver: (accountId) => publish(encodeDeliver(accountTopic(accountId))),
    fetch: (accountId) => publish(encodeFetch(accountTopic(accountId))),
    sent: (accountId, conversationId) => publish(encodeSent(accountTopic(accountId), conversationId)),
    cancel: (worker, sessionKey) => publish(encodeCancel(workerTopic(worker), sessionKey)),
    async onAccount(accountId, receive): Promise<Subscription> {
      assertOpen();
      return await receivers.add(accountTopic(accountId), decodeAccountSignals, receive);
    },
    async onWorker(worker, receive): Promise<Subscription> {
      assertOpen();
      return await receivers.add(workerTopic(worker), decodeWorkerSignals, receive);
    },
    async close() {
      closing.abort();
      await sending;
      receivers.forgetAll();
    },
  };
}
