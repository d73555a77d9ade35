import type { Conversation } from "./conversation.ts";

/** The outcome of an event that an adapter passed to the host. */
export type Acceptance = "recorded" | "duplicate" | "dropped";

export interface AcceptOptions {
  /** Where the answer goes when that is not the event's own conversation. */
  readonly replyTo?: Conversation;
  /**
   * Read as one with the events of the same key that follow: each of them restarts the wait of `ms`, up to five times `ms`
   * after the first. Survives a crash. Parts of an album need none: `message.albumId` says it.
   */
  readonly defer?: { readonly key: string; readonly ms: number };
  /**
   * For the press of a button, where the platform shows words to whoever pressed, alone: the reason of a refusal, plain words, at most once,
   * before the event counts as dropped. Without it they read a notice. A refusal without a reason tells nothing.
   */
  readonly tellRefused?: (words: string) => void;
}
