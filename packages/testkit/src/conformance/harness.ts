import type { Adapter } from "@talaria/adapter";
import type { Conversation, MessageId, UserId } from "@talaria/protocol";

export interface DeliverOptions {
  /** How many times the platform hands over this message. Default 1. */
  readonly times?: number;
  /** In a thread of the conversation, always the same one. Used where `threads` is true. */
  readonly thread?: boolean;
  /** A file that comes with the message. */
  readonly media?: Uint8Array;
}

/** What the fake platform does to the next message it is asked to post. */
export type SendFailure =
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number }
  | { readonly kind: "unauthorized" }
  /** The message is posted, and the connection breaks before the answer. */
  | { readonly kind: "connection_lost" }
  /** No answer ever comes. */
  | { readonly kind: "stalled" };

/** A message as people see it on the fake platform. */
export interface PostedMessage {
  readonly messageId: MessageId;
  readonly threadId?: string;
  readonly text: string;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Labels of the buttons below it that can be pressed. */
  readonly buttons?: readonly string[];
  /** What it shows as chosen beside its text. */
  readonly chosen?: string;
}

/** An adapter, not yet started, plugged into a fake platform that a test drives. New for every test. */
export interface AdapterHarness {
  readonly adapter: Adapter;
  /** The person who writes, and the conversation they write in and answers go to. */
  readonly person: UserId;
  readonly conversation: Conversation;

  /** A person writes. Resolves with the message's id once the platform is about to hand it over. */
  deliver(text: string, options?: DeliverOptions): Promise<MessageId>;
  /** People can write in a thread of the conversation, and beside it. */
  readonly threads: boolean;
  /** The adapter's own account writes from somewhere else. Absent: the platform never shows it that. */
  deliverOwn?(text: string): Promise<void>;
  /** The person changes a message that was handed over before. Absent: nobody can, or the platform doesn't tell. */
  edit?(messageId: MessageId, text: string): Promise<void>;
  /** Absent: nothing is called that could fail. */
  /** Where calls take their time, resolves when a message has met the failure. */
  failNextSend?(failure: SendFailure): void | Promise<void>;
  /** Everything the adapter has posted, in order, as it reads now. */
  posted(): readonly PostedMessage[];
  /** How many of the messages from `deliver` the platform will not hand over again. Absent: it pushes and expects no answer. */
  acknowledged?(): number;
  /**
   * Breaks the connection that events come through; a new attempt succeeds. `meanwhile` runs while it is broken.
   * Absent: each event comes in a request of its own.
   */
  dropConnection?(meanwhile?: () => Promise<void>): Promise<void>;
  /** Emoji that the adapter's account has put on a message. Needed where the adapter reacts. */
  reactions?(messageId: MessageId): readonly string[];
  /** How many times the platform was told that the account is typing. Needed where the adapter shows that. */
  typings?(): number;
  /** The person presses the button with this label. Needed where the adapter shows choices. */
  press?(messageId: MessageId, label: string): Promise<void>;
  /** Takes the platform down. The adapter has been stopped by then, or was never started. */
  close(): Promise<void>;
}
