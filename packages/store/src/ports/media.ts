import type { AccountId, Attachment, EventId, MediaRef } from "@talaria/protocol";

export interface MediaLimits {
  /** Largest file. */
  readonly maxBytes: number;
  /** Largest picture, width times height. Read from its header; nothing is ever decoded here. */
  readonly maxPixels: number;
  /** All files together. */
  readonly quotaBytes: number;
}

/** Content that is stored. `ref` is `sha256:` and 64 hexadecimal digits, `mimeType` what the bytes say. */
export interface StoredMedia {
  readonly ref: MediaRef;
  readonly mimeType: string;
  readonly byteLength: number;
}

/** One attachment of one event; `n` is its place in the message, from 0. */
export interface AttachmentKey {
  readonly accountId: AccountId;
  readonly eventId: EventId;
  readonly n: number;
}

export interface AttachmentToFetch extends AttachmentKey {
  /** As the platform described it. */
  readonly attachment: Attachment;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** What became of an attachment. `problem` is half a sentence that people and the model may read. */
export type Fetched =
  | { readonly state: "pending" }
  | { readonly state: "failed"; readonly problem: string }
  | {
      readonly state: "stored";
      readonly media: StoredMedia;
      readonly transcript?: string;
      /** It is here, but something about it did not work. Never stored. */
      readonly problem?: string;
    };

export interface FetchedAttachment extends AttachmentKey {
  /** The platform's. */
  readonly platformRef: MediaRef;
  readonly fetched: Fetched;
}

/**
 * Files, each content once. An event's attachments are noted in the transaction that records it; the gateway that holds
 * the account fetches them. Nothing here is fenced: two gateways that fetch the same write the same.
 */
export interface MediaStore {
  /**
   * Stores content while it is read, never more than two chunks of 256 kB in memory. Throws `too_large` (`details.reason`:
   * `bytes`, `pixels` or `quota`), what the content throws, or `aborted`; then nothing of it stays.
   * `claimedType` decides only between kinds of text and of containers that look alike.
   */
  put(
    content: AsyncIterable<Uint8Array>,
    claimedType: string | undefined,
    limits: MediaLimits,
    signal: AbortSignal,
  ): Promise<StoredMedia>;
  /** Throws `not_found` for content that was never stored or has been removed, at the latest while it is read. */
  open(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** At most `length` bytes from `offset` on, fewer at the end. Throws as `open` does. */
  read(ref: MediaRef, range: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
  /** Undefined when it is not stored (any more). */
  describe(ref: MediaRef): Promise<StoredMedia | undefined>;
  /** Attachments of these accounts that are due, oldest first, without those in `inFlight`. */
  toFetch(
    accountIds: readonly AccountId[],
    inFlight: readonly AttachmentKey[],
    limit: number,
  ): Promise<readonly AttachmentToFetch[]>;
  /** Content that the account has fetched under the same ref before, or has sent itself where the event was said. */
  fetchedBefore(
    about: Pick<AttachmentKey, "accountId" | "eventId">,
    platformRef: MediaRef,
  ): Promise<StoredMedia | undefined>;
  /** Bytes of everything that the sender of this attachment's event has sent through the account within an hour. */
  recentBytesOfSender(key: AttachmentKey): Promise<number>;
  /**
   * Has an attachment fetched that nobody has asked for before, or whose content is not here (any more). One that is stored, or being
   * fetched, stays as it is. `ofEvents` tells what becomes of it.
   */
  request(key: AttachmentKey, attachment: Attachment): Promise<void>;
  /** Settles a pending attachment; a settled one stays as it is. Answers how many of its event are still pending. */
  settle(key: AttachmentKey, result: Exclude<Fetched, { state: "pending" }>): Promise<number>;
  /** Counts a failed attempt; due again in so many milliseconds, database time. */
  retryIn(key: AttachmentKey, ms: number): Promise<void>;
  /** What became of everything that came with these events. */
  ofEvents(accountId: AccountId, eventIds: readonly EventId[]): Promise<readonly FetchedAttachment[]>;
  saveTranscript(key: AttachmentKey, transcript: string): Promise<void>;
}
