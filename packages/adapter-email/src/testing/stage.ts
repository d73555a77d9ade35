import type { Adapter } from "@talaria/adapter";
import {
  brandAs,
  type DeliveryKey,
  type InboundEvent,
  type InboundMessage,
  type OutboundMessage,
} from "@talaria/protocol";
import { type DepsFacts, messageOf, RecordingHost } from "@talaria/testkit";
import type { EmailConfig } from "../config.ts";
import { type MailWorld, makeWorld } from "./world.ts";

/** A started adapter and all that it touches. */
export interface MailStage extends MailWorld, AsyncDisposable {
  readonly adapter: Adapter;
  readonly host: RecordingHost;
  /** The event of the next mail that arrives; `deliver` brings it. */
  next(deliver: () => void): Promise<InboundEvent>;
}

export type Settings = Partial<Record<keyof EmailConfig, unknown>>;

export async function startStage(settings: Settings = {}, facts: DepsFacts = {}): Promise<MailStage> {
  const world = await makeWorld();
  const adapter = world.make(settings, facts);
  const host = new RecordingHost(10_000);
  await adapter.start(host);
  return {
    ...world,
    adapter,
    host,
    async next(deliver) {
      const count = host.events.length;
      deliver();
      await host.recorded(count + 1);
      const event = host.events[count];
      if (event === undefined) throw new Error("no event came");
      return event;
    },
    async [Symbol.asyncDispose]() {
      await adapter.stop();
      await world.server.stop();
    },
  };
}

/** An answer to an event, as the house sends it. */
export function answerTo(event: InboundEvent, markdown: string, key: string = event.id): OutboundMessage {
  return {
    deliveryKey: brandAs<DeliveryKey>(key),
    conversation: event.conversation,
    markdown,
    attachments: [],
    replyTo: messageOf(event).messageId,
  };
}

export function textOf(event: InboundEvent): string {
  return messageOf(event).markdown;
}

export function filesOf(event: InboundEvent): InboundMessage["attachments"] {
  return messageOf(event).attachments;
}

export const never = new AbortController().signal;
