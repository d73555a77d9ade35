declare const brand: unique symbol;

/** A string only its own parser may produce, so two kinds of id cannot be swapped by accident. */
export type Brand<Name extends string> = string & { readonly [brand]: Name };

/** One configured account on one platform, for example `telegram-main`. Chosen by the operator. */
export type AccountId = Brand<"AccountId">;
/** The platform's id of a chat, channel or room. */
export type ConversationId = Brand<"ConversationId">;
/** The platform's id of a thread or topic inside a conversation. */
export type ThreadId = Brand<"ThreadId">;
/** The platform's id of a message. Unique only within its conversation. */
export type MessageId = Brand<"MessageId">;
/** The platform's stable id of an account. Never a display name. */
export type UserId = Brand<"UserId">;
/** Identifies one inbound event across redeliveries of the same event. Unique within its account. */
export type EventId = Brand<"EventId">;
/** Identifies one agent turn. The same first event of the same session always yields the same id. */
export type TurnId = Brand<"TurnId">;
/** Idempotency key of one outbound message. */
export type DeliveryKey = Brand<"DeliveryKey">;
/** Opaque handle an adapter can turn back into bytes. */
export type MediaRef = Brand<"MediaRef">;
/** ISO 8601 instant in UTC. */
export type Instant = Brand<"Instant">;
/** Names one running gateway or worker process; new for every start. */
export type ProcessId = Brand<"ProcessId">;

/** Gives a checked or freshly made string its brand. Call it where ids are parsed, not where they are used. */
export function brandAs<Id extends Brand<string>>(value: string): Id {
  return value as Id;
}

/** The instant of a time in milliseconds since 1970. Throws RangeError outside the years 0 to 9999. */
export function instantOf(milliseconds: number): Instant {
  const text = new Date(milliseconds).toISOString();
  if (text.length !== 24) throw new RangeError("an instant lies between the years 0 and 9999");
  return brandAs<Instant>(text);
}
