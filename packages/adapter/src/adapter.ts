import type {
  Acceptance,
  AcceptOptions,
  AccountId,
  Choice,
  Conversation,
  InboundEvent,
  MediaRef,
  MessageId,
  MessageRef,
  OutboundMessage,
  Platform,
  Quote,
  Receipt,
  ReceivedMessage,
  Sender,
  SentMessage,
} from "@talaria/protocol";
import type { Capabilities, ConversationCapabilities } from "./capabilities.ts";
import type { ConnectionState } from "./connection-state.ts";

/** What the gateway offers an adapter. Few calls, on purpose. */
export interface AdapterHost {
  /**
   * Hands over one event. Resolves once nobody needs it again: it is durably recorded, was known already, or was
   * dropped on purpose. Acknowledge the platform only then; when it rejects, let the platform redeliver. Events of one
   * conversation are recorded in the order of the calls, also when the calls overlap.
   */
  accept(event: InboundEvent, options?: AcceptOptions): Promise<Acceptance>;
  /**
   * Whether this sender may be heard there now. Ask before fetching or parsing what a sender can make expensive. The answer is
   * advice: in any case hand the event over, without its content where this is false, and `accept` decides. Rejects when
   * the store is away.
   */
  isAllowed(from: Pick<InboundEvent, "conversation" | "sender">): Promise<boolean>;
  /**
   * The message with this id as a quote, for platforms that tell only the id of what is answered. One of ours is `own`, by the id "agent"
   * and without a name. Undefined where none was recorded or sent in this conversation, or it was taken back. Rejects when the store is away.
   */
  heard(conversation: Conversation, messageId: MessageId): Promise<Quote | undefined>;
  /**
   * The first of these messages that this sender wrote to the account, or got by the `recipients` of its event, in whatever conversation:
   * for platforms whose people see the same message without sharing a conversation with the agent. At most 50 ids count. Undefined where
   * there is none, where nobody has proven who asks, and where its author may not be heard now. Rejects when the store is away.
   */
  received(
    from: Pick<InboundEvent, "conversation" | "sender">,
    messageIds: readonly MessageId[],
  ): Promise<ReceivedMessage | undefined>;
  /**
   * Tells that a conversation is of this kind now, where people who come and go change it. Resolves once nothing goes on of what was
   * begun there while it was of another kind; when it rejects, tell again. Telling it twice changes nothing.
   */
  kindChanged(conversation: Conversation): Promise<void>;
  /**
   * Tells that the account was brought into a group, and by whom where the platform says so. Resolves once it is stored what owners are
   * asked about it; when it rejects, tell again. Telling it twice changes nothing.
   */
  added(conversation: Conversation, by?: Sender): Promise<void>;
  /**
   * Counts what came in and was left out before it became an event, or the content that its event came without. `reason` is
   * one of a few fixed words. Never throws.
   */
  leftOut(reason: string): void;
  /**
   * Reports a change of connection state. `cause` is the error behind it where there is one; it may quote what the platform
   * said, so it is for debugging and for tests. Never throws.
   */
  report(state: ConnectionState, cause?: Error): void;
  /**
   * Tells what became of a message of ours after it was sent. Resolves once it is stored, also for a message nobody
   * knows; when it rejects, let the platform tell again.
   */
  receipt(receipt: Receipt): Promise<void>;
}

/** Where a reply goes. */
export interface ReplyTarget {
  readonly conversation: Conversation;
  readonly replyTo?: MessageId;
}

/** A message that is still being written. Snapshots, not deltas: an update may be skipped safely. */
export interface ReplyView {
  /** Shows the text so far. `markdown` fits one message. */
  update(markdown: string, signal: AbortSignal): Promise<void>;
  /** Writes the final message; afterwards the view is done. */
  finish(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage>;
  /** Takes the preview away where the platform can. Never throws. */
  discard(signal: AbortSignal): Promise<void>;
}

/**
 * One HTTP endpoint of an adapter, with its whole path: `/webhooks/<route>`, `/platforms/<account>`, `/api/...`.
 * `:name` segments are parameters. The host answers 401 for `bearer` routes without the gateway's token;
 * routes with auth `own` check a signature themselves. The body arrives unread and is limited by `maxBodyBytes`.
 */
export interface WebhookRoute {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: `/${string}`;
  readonly auth: "own" | "bearer";
  readonly maxBodyBytes: number;
  /** For auth `bearer`: how long the body may take, where the default of 10 s is too short. */
  readonly bodyMs?: number;
  /**
   * For auth `own`, where headers alone can tell: true, they prove the sender; false, the request is refused with 401
   * unread; undefined, the body decides. `handle` checks all the same.
   */
  provenByHeaders?(headers: Headers): boolean | undefined;
  handle(request: Request, params: Readonly<Record<string, string>>): Promise<Response>;
}

/**
 * One configured account on one platform.
 *
 * Contract:
 * - The constructor does no I/O; `start` connects and resolves once events can flow, or the account's state is reported.
 *   The host retries what it throws, after `stop`, unless `errorTable` says that retrying can't help: then an operator
 *   has to act (`unauthorized`, `invalid_request`).
 * - `send` posts exactly one platform message, which an album counts as, and throws only `GatewayError`.
 * - `send` and `edit` neither retry nor wait for rate limits: they throw `rate_limited` with `retryAfterMs`.
 * - `edit`, `openReply`, `setTyping` and `openMedia` exist if and only if `edit`, `view`, `typing` and `receive` are among the
 *   capabilities. Any other optional method says by being there that the platform can.
 * - `stop` waits for running `accept` calls, and nothing is delivered after it resolved. A second one resolves with the first.
 * - `start` may follow `stop`; one that comes while a stop is running waits for it.
 */
export interface Adapter {
  readonly id: AccountId;
  readonly platform: Platform;
  readonly capabilities: Capabilities;
  /** `leased`: one gateway at a time holds the account. `shared`: every gateway may serve it (HTTP only). */
  readonly holding: "leased" | "shared";

  start(host: AdapterHost): Promise<void>;
  stop(): Promise<void>;
  /** A call has just reached the platform: a connection that is thought to be lost is tried again now. Returns at once, never throws. */
  reached?(): void;
  send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage>;

  /** Replaces the conversation's part of the capabilities, as in Telegram groups. May take abilities away, and adds none. */
  capabilitiesFor?(conversation: Conversation): ConversationCapabilities;
  /**
   * Length of a markdown text in the platform's own units after conversion, 0 when nothing of it would be shown.
   * Without it: UTF-16 units of the markdown.
   */
  measure?(markdown: string): number;
  /** Replaces text and buttons; without `choices` the message has none afterwards. Saying the same again is no error. */
  edit?(ref: MessageRef, markdown: string, signal: AbortSignal, choices?: readonly Choice[]): Promise<void>;
  /** What a message of ours asks was decided: shows it again, as the house knows it. Only where messages can't be edited. */
  closed?(ref: MessageRef, signal: AbortSignal): Promise<void>;
  /** Leaves a group; one that we are not in is no error. */
  leave?(conversation: Conversation, signal: AbortSignal): Promise<void>;
  delete?(ref: MessageRef, signal: AbortSignal): Promise<void>;
  /** Adds our reaction; adding it again changes nothing. `emoji` is one Unicode emoji; `unsupported` where the platform lacks it. */
  react?(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void>;
  /** Takes our reaction away; one that is not there is no error. Exists with `react`. */
  unreact?(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void>;
  /** `doing` is what is being done, in words; those are shown where `typing.words` says so. */
  setTyping?(conversation: Conversation, signal: AbortSignal, doing?: string): Promise<void>;
  openReply?(target: ReplyTarget, signal: AbortSignal): Promise<ReplyView>;
  /** Asks the platform whether a message whose outcome is unknown is there. `undefined`: it is not, or the platform cannot tell. Not there with `idempotentSend`. */
  findSent?(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage | undefined>;
  /**
   * Posts something that no person in a conversation sees, to learn whether posts go through while their outcomes are unknown. For platforms
   * without a cheap call that tells, such as `setTyping`. Bounds by itself how much it posts: beyond that it throws `unavailable`.
   */
  probe?(signal: AbortSignal): Promise<void>;
  /** The bytes of an attachment that came in, also after a restart. `too_large` above `receive.maxBytes`. */
  openMedia?(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /**
   * Shows this title where the platform names the conversation. Called when a person has named it. Returns at once, and never throws:
   * a conversation without its title is as good.
   */
  rename?(conversation: Conversation, title: string): void;
  routes?(): readonly WebhookRoute[];
  /** A link that opens a conversation with this account, once the platform has said how it is called. */
  contactUrl?(): string | undefined;
}
