import type { Clock } from "@talaria/protocol";
import type { Redis } from "ioredis";
import { within } from "../deadline.ts";
import type { SignalTransport } from "../signal-transport.ts";

const maxPayloadBytes = 1_000_000;
const subscribeMs = 5_000;
const unsubscribeMs = 1_000;
const channelPrefix = "talaria:";

export interface RedisTransportDeps {
  readonly commands: Redis;
  readonly subscriber: Redis;
  readonly clock: Clock;
}

/** Publish/subscribe. The client resubscribes by itself after it has reconnected. */
export function createRedisTransport({ commands, subscriber, clock }: RedisTransportDeps): SignalTransport {
  const receivers = new Map<string, (payload: string) => void>();
  subscriber.on("message", (channel: string, payload: string) => receivers.get(channel)?.(payload));

  return {
    maxPayloadBytes,
    gatherMs: 0,
    async send(payloads) {
      await Promise.all(payloads.map(({ topic, payload }) => commands.publish(channelPrefix + topic, payload)));
    },
    async subscribe(topic, receive) {
      const channel = channelPrefix + topic;
      receivers.set(channel, receive);
      await within(subscriber.subscribe(channel), subscribeMs, clock, "redis did not take a subscription in time");
    },
    async unsubscribe(topic) {
      const channel = channelPrefix + topic;
      receivers.delete(channel);
      const unsubscribed = subscriber.unsubscribe(channel);
      await within(unsubscribed, unsubscribeMs, clock, "redis is away").catch(() => undefined);
    },
  };
}
