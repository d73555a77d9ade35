import type { Adapter, Capabilities } from "@talaria/adapter";
import type { Conversation } from "@talaria/protocol";

/** What a conversation allows. The only place of this package that reads capabilities from an adapter. */
export function capabilitiesFor(adapter: Adapter, conversation: Conversation): Capabilities {
  return adapter.capabilitiesFor?.(conversation) ?? adapter.capabilities;
}

/** What the steps of a message depend on. */
export interface PlaceFacts {
  /** A message that is sent twice with one key stands there once. */
  readonly recognises: boolean;
  /** The platform can be asked whether a message has arrived. */
  readonly finds: boolean;
  /** A message can be taken away. */
  readonly removes: boolean;
  readonly streaming: Capabilities["streaming"];
  readonly minUpdateIntervalMs: number;
}

/** Of a place that has not been looked at. */
export const nothingKnown: PlaceFacts = {
  recognises: false,
  finds: false,
  removes: false,
  streaming: "none",
  minUpdateIntervalMs: 0,
};

export function factsOf(adapter: Adapter, conversation: Conversation): PlaceFacts {
  const { idempotentSend, streaming, minUpdateIntervalMs } = capabilitiesFor(adapter, conversation);
  return {
    recognises: idempotentSend,
    finds: adapter.findSent !== undefined,
    removes: adapter.delete !== undefined,
    streaming,
    minUpdateIntervalMs,
  };
}
