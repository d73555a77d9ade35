import type { ReplyTarget, ReplyView } from "@talaria/adapter";
import {
  brandAs,
  type DeliveryKey,
  type GatewayError,
  type MessageId,
  type OutboundMessage,
  type TurnId,
} from "@talaria/protocol";
import type { OutboxPart, Preview } from "@talaria/store";
import type { PlaceFacts } from "./place.ts";

/**
 * Where one message stands on its platform, as far as this gateway knows. Preview and final text go through the same
 * states: the final text of a reply replaces the preview in its message.
 */
export type Message =
  | { readonly state: "none" }
  /** The intent to post it is stored, and the call has not been answered. */
  | { readonly state: "posting"; readonly key: DeliveryKey }
  /** It may have been posted under this key. `asked`: the platform was asked and did not find it. */
  | { readonly state: "unknown"; readonly key: DeliveryKey; readonly asked?: true }
  /** `shown` is its text where that is certain. */
  | { readonly state: "posted"; readonly messageId: MessageId; readonly shown?: string }
  | { readonly state: "view"; readonly view: ReplyView }
  /** It shows the final text. */
  | { readonly state: "final"; readonly messageId: MessageId };

export interface Goal {
  readonly message: OutboundMessage;
  /** The final text, not a snapshot of a growing one. */
  readonly isFinal: boolean;
}

/** One call to a platform. */
export type Call = { readonly isFinal: boolean } & (
  | { readonly kind: "send" | "find"; readonly message: OutboundMessage }
  | { readonly kind: "edit" | "close"; readonly messageId: MessageId; readonly message: OutboundMessage }
  | { readonly kind: "open"; readonly target: ReplyTarget }
  | { readonly kind: "update" | "finish"; readonly view: ReplyView; readonly message: OutboundMessage }
  | { readonly kind: "discard"; readonly view: ReplyView }
  | { readonly kind: "remove"; readonly messageId: MessageId }
  | { readonly kind: "leave" }
);

export type Answer =
  | { readonly error: GatewayError }
  | { readonly error?: never; readonly messageId?: MessageId; readonly view?: ReplyView };

export type Step =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "done"; readonly messageId: MessageId }
  /** Nobody can tell whether it was posted: it is posted again and marked, or given up. */
  | { readonly kind: "doubt" };

/** What to do next so that the message says what the goal says. */
export function nextStep(at: Message, { message, isFinal }: Goal, facts: PlaceFacts): Step {
  const step = (call: Call): Step => ({ kind: "call", call });
  switch (at.state) {
    case "none": {
      if (isFinal || facts.shows?.as !== "view") return step({ kind: "send", message, isFinal });
      const { conversation, replyTo } = message;
      return step({ kind: "open", target: { conversation, ...(replyTo ? { replyTo } : {}) }, isFinal });
    }
    case "posting":
    case "unknown": {
      if (facts.recognises) return step({ kind: "send", message: { ...message, deliveryKey: at.key }, isFinal });
      if (!isFinal || !facts.finds || "asked" in at) return { kind: "doubt" };
      const isPreview = at.key !== message.deliveryKey;
      return step({ kind: "find", message: isPreview ? { ...message, ...asPreview(at.key) } : message, isFinal });
    }
    case "posted":
      if (isFinal && at.shown === message.markdown && !message.choices?.length)
        return { kind: "done", messageId: at.messageId };
      return step({ kind: "edit", messageId: at.messageId, message, isFinal });
    case "view":
      return step({ kind: isFinal ? "finish" : "update", view: at.view, message, isFinal });
    case "final":
      return { kind: "done", messageId: at.messageId };
    default:
      return at satisfies never;
  }
}

/** A preview shows text alone. */
function asPreview(deliveryKey: DeliveryKey): Pick<OutboundMessage, "deliveryKey" | "attachments"> {
  return { deliveryKey, attachments: [] };
}

/** Whether the call may create a message: its intent is stored first. */
export function isPost({ kind }: Call): boolean {
  return kind === "send" || kind === "finish";
}

/** The state once the intent to make this call is stored. */
export function begun(at: Message, call: Call): Message {
  if (call.kind === "send") return { state: "posting", key: call.message.deliveryKey };
  return at;
}

/**
 * The state after a call was answered. `at` is the state before the call began, `key` the final text's key if the
 * call is for that.
 */
export function afterCall(at: Message, call: Call, answer: Answer, key?: DeliveryKey): Message {
  if (answer.error !== undefined) return afterError(at, call, answer.error);
  const { messageId, view } = answer;
  switch (call.kind) {
    case "send":
      if (messageId === undefined) return at;
      if (call.message.deliveryKey === key) return { state: "final", messageId };
      // A message that existed before may show an older text.
      return { state: "posted", messageId, ...(at.state === "none" ? { shown: call.message.markdown } : {}) };
    case "find":
      if (messageId === undefined) return { state: "unknown", key: call.message.deliveryKey, asked: true };
      return { state: call.message.deliveryKey === key ? "final" : "posted", messageId };
    case "edit":
      if (call.isFinal) return { state: "final", messageId: call.messageId };
      return { state: "posted", messageId: call.messageId, shown: call.message.markdown };
    case "finish":
      return messageId === undefined ? { state: "none" } : { state: "final", messageId };
    case "open":
      return view === undefined ? { state: "none" } : { state: "view", view };
    case "update":
      return at;
    case "close":
    case "leave":
      return at;
    case "discard":
    case "remove":
      return { state: "none" };
    default:
      return call satisfies never;
  }
}

function afterError(at: Message, call: Call, { effect }: GatewayError): Message {
  switch (call.kind) {
    case "send":
      return effect === "unknown" ? { state: "unknown", key: call.message.deliveryKey } : at;
    case "finish":
      return effect === "unknown" ? { state: "unknown", key: call.message.deliveryKey } : { state: "none" };
    case "edit":
      return { state: "posted", messageId: call.messageId };
    default:
      return at;
  }
}

/** The key of a preview's message. A platform that recognises it says where that message is when it is sent again. */
export function previewKey(turnId: TurnId): DeliveryKey {
  return brandAs<DeliveryKey>(`preview:${turnId}`);
}

/** Where a preview stands, as far as the store knows. */
export function storedPreview(turnId: TurnId, preview: Preview | undefined): Message {
  if (preview === undefined) return { state: "none" };
  if (preview.messageId === undefined) return { state: "unknown", key: previewKey(turnId) };
  return { state: "posted", messageId: preview.messageId };
}

/**
 * Where the message of an unsent part stands; `preview` is where its reply's preview stands. A doubtful preview
 * that nobody can find counts once: the part is marked for it.
 */
export function messageOfPart(part: OutboxPart, key: DeliveryKey, preview: Message, facts: PlaceFacts): Message {
  const wasDoubted = isInDoubt(preview) && !facts.recognises && part.unknown > 0;
  if (isShown(preview, facts) && !wasDoubted) return preview;
  if (part.state === "sending") return { state: "unknown", key };
  return isInDoubt(preview) && part.unknown === 0 ? preview : { state: "none" };
}

/** It may have been posted, and nobody knows. */
export function isInDoubt(message: Message): message is Extract<Message, { state: "posting" | "unknown" }> {
  return message.state === "posting" || message.state === "unknown";
}

/** A preview stands there, or can be found: the final text will be written into its message. */
export function isShown(message: Message, { recognises, finds }: PlaceFacts): boolean {
  if (isInDoubt(message)) return recognises || (finds && !("asked" in message));
  return message.state === "posted" || message.state === "view";
}
