import type { Log } from "@talaria/protocol";
import type { Subscription } from "./ports.ts";
import type { SignalTransport } from "./signal-transport.ts";

type Decode<Signal> = (payload: string, reject: (reason: string) => void) => Signal[];

export interface TopicReceivers {
  /** Rejects when the transport cannot subscribe; then nothing is left behind. */
  add<Signal>(topic: string, decode: Decode<Signal>, receive: (signal: Signal) => void): Promise<Subscription>;
  /** Nothing is delivered any more. The transport is about to be closed, which ends its subscriptions. */
  forgetAll(): void;
}

interface Topic {
  readonly take: Set<(payload: string) => void>;
  readonly subscribed: Promise<void>;
}

/** Shares one subscription of the transport among all receivers of a topic in this process. */
export function createTopicReceivers(transport: SignalTransport, log: Log): TopicReceivers {
  const topics = new Map<string, Topic>();

  function open(name: string): Topic {
    const known = topics.get(name);
    if (known !== undefined) return known;
    const take: Topic["take"] = new Set();
    const subscribed = transport.subscribe(name, (payload) => {
      for (const receive of take) receive(payload);
    });
    const topic = { take, subscribed };
    topics.set(name, topic);
    return topic;
  }

  async function end(name: string, topic: Topic, take: (payload: string) => void): Promise<void> {
    topic.take.delete(take);
    if (topic.take.size > 0 || topics.get(name) !== topic) return;
    topics.delete(name);
    await transport.unsubscribe(name);
  }

  return {
    async add(name, decode, receive) {
      const take = (payload: string) => deliver(payload, decode, receive, log);
      const topic = open(name);
      topic.take.add(take);
      try {
        await topic.subscribed;
      } catch (error) {
        await end(name, topic, take);
        throw error;
      }
      return { end: () => end(name, topic, take) };
    },
    forgetAll() {
      for (const { take } of topics.values()) take.clear();
      topics.clear();
    },
  };
}

/** What cannot be read is skipped; a receiver that throws does not disturb the others. */
function deliver<Signal>(payload: string, decode: Decode<Signal>, receive: (signal: Signal) => void, log: Log): void {
  const signals = decode(payload, (reason) => log.warn({ reason }, "signal is not readable"));
  for (const signal of signals) {
    try {
      receive(signal);
    } catch (error) {
      log.error({ error }, "receiver of a signal failed");
    }
  }
}
