import type { Adapter } from "@talaria/adapter";
import {
  brandAs,
  type DeliveryKey,
  type InboundEvent,
  type InboundMessage,
  type OutboundMessage,
} from "@talaria/protocol";
import { type DepsFacts, messageOf, messageTo, type RecordingHost, startAdapter } from "@talaria/testkit";
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
  const started = await startAdapter(world.make(settings, facts), world.server);
  const { host } = started;
  return {
    ...world,
    ...started,
    async next(deliver) {
      const count = host.events.length;
      deliver();
      await host.recorded(count + 1);
      const event = host.events[count];
      if (event === undefined) throw new Error("no event came");
      return event;
    },
  };
}

/** An answer to an event, as the gateway sends it. */
export function answerTo(event: InboundEvent, markdown: string, key: string = event.id): OutboundMessage {
  const replyTo = messageOf(event).messageId;
  return messageTo(event.conversation, markdown, { deliveryKey: brandAs<DeliveryKey>(key), replyTo });
}

export function textOf(event: InboundEvent): string {
  return messageOf(event).markdown;
}

export function filesOf(event: InboundEvent): InboundMessage["attachments"] {
  return messageOf(event).attachments;
}

export const never = new AbortController().signal;
