import { createHash } from "node:crypto";
import type { Clock } from "@talaria/protocol";
import { within } from "../deadline.ts";
import type { SignalTransport } from "../signal-transport.ts";
import type { Link } from "./link.ts";

/** The server refuses 8,000 bytes and more. */
const maxPayloadBytes = 7_900;
const gatherMs = 25;
const subscribeMs = 5_000;
const notify = "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as signal(channel, payload)";

export interface PostgresTransportDeps {
  readonly link: Link;
  readonly clock: Clock;
}

/** NOTIFY in one transaction per batch, because each one takes a lock on the whole database when it commits. */
export function createPostgresTransport({ link, clock }: PostgresTransportDeps): SignalTransport {
  return {
    maxPayloadBytes,
    gatherMs,
    async send(payloads) {
      const values = [payloads.map(({ topic }) => channelOf(topic)), payloads.map(({ payload }) => payload)];
      await link.query({ name: "signal", text: notify, values });
    },
    async subscribe(topic, receive) {
      const listening = link.listen(channelOf(topic), receive);
      await within(listening, subscribeMs, clock, "postgres did not take a subscription in time");
    },
    unsubscribe: (topic) => link.unlisten(channelOf(topic)),
  };
}

/** Channel names have at most 63 bytes, and topics hold ids of any length. */
function channelOf(topic: string): string {
  return `talaria_${createHash("sha256").update(topic).digest("hex").slice(0, 40)}`;
}
