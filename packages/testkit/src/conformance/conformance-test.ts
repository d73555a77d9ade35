import assert from "node:assert/strict";
import type { ConversationCapabilities } from "@talaria/adapter";
import type { InboundEvent, InboundMessage, OutboundMessage } from "@talaria/protocol";
import { brandAs, type DeliveryKey } from "@talaria/protocol";
import { messageTo } from "../message-to.ts";
import type { AdapterHarness } from "./harness.ts";
import type { RecordingHost } from "./recording-host.ts";

/** What one test of the suite works with. The adapter is started unless the test says otherwise. */
export interface Stage {
  readonly harness: AdapterHarness;
  readonly host: RecordingHost;
  /** Aborted when the test is over. */
  readonly signal: AbortSignal;
}

/** The outgoing file that `adapterDeps` offers unless told otherwise. */
export const sampleFile = {
  ref: "sample",
  name: "numbers.csv",
  mimeType: "text/csv",
  bytes: Buffer.from("one,two\n1,2\n"),
};

export interface ConformanceTest {
  readonly name: string;
  /** Why it does not apply to this adapter, as its capabilities or the harness say. Undefined: it applies. */
  readonly without?: (harness: AdapterHarness) => string | undefined;
  readonly run: (stage: Stage) => Promise<void>;
}

/** What the adapter can do in the conversation of the harness. */
export function abilitiesIn({ adapter, conversation }: AdapterHarness): ConversationCapabilities {
  return adapter.capabilitiesFor?.(conversation) ?? adapter.capabilities;
}

/** A member of the harness that a test needs; fails with the sentence if it is missing. */
export function needed<Thing>(thing: Thing | undefined, sentence: string): Thing {
  assert.ok(thing !== undefined, sentence);
  return thing;
}

/** The message of an event, or a failure that says what came instead. */
export function messageOf(event: InboundEvent | undefined): InboundMessage {
  if (event?.type === "message.created" || event?.type === "message.edited") return event.message;
  throw new Error(`expected a message, got ${event?.type ?? "nothing"}`);
}

/** A message to the harness's conversation, with a delivery key made of its text's length and `key`. */
export function outbound(harness: AdapterHarness, markdown: string, key = "k"): OutboundMessage {
  return messageTo(harness.conversation, markdown, { deliveryKey: brandAs<DeliveryKey>(`${key}-${markdown.length}`) });
}
