import type { Adapter } from "@talaria/adapter";
import {
  type AccountId,
  bringsFiles,
  type Clock,
  GatewayError,
  type InboundEvent,
  type Log,
  type SessionKey,
  untilAborted,
} from "@talaria/protocol";
import type { AttachmentToFetch, Fetched, InboxStore, MediaLimits, MediaStore } from "@talaria/store";
import { fetchFailure } from "./fetch-problem.ts";

/** Files fetched at the same time, in total and for one account. */
const atOnce = { all: 8, ofAccount: 3 };
/** Finds attachments whose poke was lost, and those whose gateway died. */
const sweepMs = 10_000;
/** Retries are due by the database's clock, which may be a little late. */
const retryMarginMs = 20;
/** Timeout for one file. */
const fetchMs = 120_000;
/**
 * The share of the quota that one sender may use within an hour: content that new is not removed to make room for others.
 */
const shareOfSender = 0.25;
/** After this time a message is read without its attachments. */
const deferMs = 20_000;

export interface MediaFetcherDeps {
  readonly media: MediaStore;
  readonly inbox: Pick<InboxStore, "mediaReady">;
  readonly limits: MediaLimits;
  /** Wakes a session in `ms`. Of several calls with one cause, the latest time counts. */
  readonly wakeIn: (sessionKey: SessionKey, cause: string, ms: number) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/** How long an event waits for its attachments; undefined when it has none. */
export function mediaDeferMs(event: InboundEvent): number | undefined {
  return bringsFiles(event) ? deferMs : undefined;
}

/**
 * Fetches what came with recorded events, for the accounts that this gateway holds. What waits is in the database, so a
 * gateway that takes over continues where another one died. Never throws.
 */
export class MediaFetcher {
  readonly #deps: MediaFetcherDeps;
  readonly #accounts = new Map<AccountId, { readonly adapter: Adapter; readonly ending: AbortController }>();
  readonly #running = new Map<AttachmentToFetch, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** When attachments that could not be fetched are due again, in the clock's time. */
  #due: number[] = [];
  #looking = false;
  #lookAgain = false;

  constructor(deps: MediaFetcherDeps) {
    this.#deps = deps;
  }

  /** Fetches for this account from now on. */
  attach(adapter: Adapter): void {
    this.#accounts.get(adapter.id)?.ending.abort();
    this.#accounts.set(adapter.id, { adapter, ending: new AbortController() });
    this.poke();
  }

  /** Resolves when nothing more is being fetched for the account; what was not finished stays pending. */
  async detach(accountId: AccountId): Promise<void> {
    this.#accounts.get(accountId)?.ending.abort();
    this.#accounts.delete(accountId);
    if (this.#accounts.size === 0) clearTimeout(this.#timer);
    await Promise.all([...this.#running].flatMap(([one, work]) => (one.accountId === accountId ? [work] : [])));
  }

  /** Tells that attachments wait. The next sweep makes up for a lost poke. */
  poke(): void {
    this.#lookAgain = true;
    if (!this.#looking) void this.#look();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    this.#looking = true;
    clearTimeout(this.#timer);
    try {
      while (this.#lookAgain) {
        this.#lookAgain = false;
        await this.#begin();
      }
    } catch (error) {
      this.#deps.log.warn({ error }, "waiting attachments could not be read");
    }
    this.#looking = false;
    if (this.#accounts.size > 0) this.#timer = setTimeout(() => this.poke(), this.#pauseMs());
  }

  /** Until the next attachment is due, and no longer than a sweep may take. */
  #pauseMs(): number {
    const now = this.#deps.clock.elapsed();
    this.#due = this.#due.filter((at) => at > now);
    return Math.min(sweepMs, ...this.#due.map((at) => at - now));
  }

  async #begin(): Promise<void> {
    const running = [...this.#running.keys()];
    const room = atOnce.all - running.length;
    const isFree = (id: AccountId) => running.filter(({ accountId }) => accountId === id).length < atOnce.ofAccount;
    const free = [...this.#accounts.keys()].filter(isFree);
    if (room <= 0 || free.length === 0) return;
    const keys = running.map(({ accountId, eventId, n }) => ({ accountId, eventId, n }));
    const due = await this.#deps.media.toFetch(free, keys, atOnce.all);
    let left = 0;
    for (const one of due) {
      const ofAccount = [...this.#running.keys()].filter(({ accountId }) => accountId === one.accountId).length;
      if (this.#running.size < atOnce.all && ofAccount < atOnce.ofAccount) this.#start(one);
      else left += 1;
    }
    // An account with a long queue may have hidden the others; now it is left out.
    if (left > 0 && this.#running.size < atOnce.all) this.#lookAgain = true;
  }

  #start(one: AttachmentToFetch): void {
    const account = this.#accounts.get(one.accountId);
    if (account === undefined) return;
    const work = this.#fetch(one, account.adapter, account.ending.signal)
      .catch((error: unknown) => {
        this.#deps.log.warn({ accountId: one.accountId, eventId: one.eventId, error }, "attachment stays pending");
      })
      .finally(() => {
        this.#running.delete(one);
        this.poke();
      });
    this.#running.set(one, work);
  }

  /** Rejects when the outcome could not be stored; the next sweep tries again. */
  async #fetch(one: AttachmentToFetch, adapter: Adapter, ending: AbortSignal): Promise<void> {
    const { media, limits, random, log } = this.#deps;
    const { accountId, eventId, attempts } = one;
    try {
      const known = await media.fetchedBefore(one, one.attachment.ref);
      const stored = known ?? (await this.#download(one, adapter, ending));
      await this.#settle(one, { state: "stored", media: stored });
    } catch (error) {
      if (ending.aborted) return;
      const failure = fetchFailure(error, attempts, limits, random);
      log.warn({ accountId, eventId, kind: failure.kind, error }, "an attachment could not be fetched");
      if (failure.kind === "again") {
        await media.retryIn(one, failure.waitMs);
        this.#due.push(this.#deps.clock.elapsed() + failure.waitMs + retryMarginMs);
      } else await this.#settle(one, { state: "failed", problem: failure.problem });
    }
  }

  async #download(one: AttachmentToFetch, adapter: Adapter, ending: AbortSignal) {
    const { media, limits, clock } = this.#deps;
    const { attachment } = one;
    const { ref, mimeType, byteLength = 0 } = attachment;
    const { receive } = adapter.capabilities;
    if (adapter.openMedia === undefined || receive === undefined)
      throw new GatewayError("the platform provides no files", { code: "unsupported" });
    if (byteLength > limits.maxBytes)
      throw new GatewayError("a file is larger than allowed", { code: "too_large", details: { reason: "bytes" } });
    if (byteLength > receive.maxBytes)
      throw new GatewayError("the platform provides no file this large", { code: "too_large" });
    if ((await media.recentBytesOfSender(one)) > limits.quotaBytes * shareOfSender)
      throw new GatewayError("one sender fills the store", { code: "too_large", details: { reason: "share" } });
    const calling = new AbortController();
    const timer = new AbortController();
    const hangUp = () => calling.abort(ending.reason);
    ending.addEventListener("abort", hangUp, { once: true });
    if (ending.aborted) hangUp();
    const late = new GatewayError("a file did not arrive in time", { code: "unavailable" });
    clock.sleep(fetchMs, timer.signal).then(
      () => calling.abort(late),
      () => undefined,
    );
    const { signal } = calling;
    try {
      // Adapters may ignore a signal.
      const stream = await untilAborted(adapter.openMedia(ref, signal), signal);
      return await media.put(stream.pipeThrough(new TransformStream(), { signal }), mimeType, limits, signal);
    } finally {
      timer.abort();
      ending.removeEventListener("abort", hangUp);
    }
  }

  async #settle(one: AttachmentToFetch, result: Exclude<Fetched, { state: "pending" }>): Promise<void> {
    const { media, inbox, wakeIn, log } = this.#deps;
    const { accountId, eventId } = one;
    const left = await media.settle(one, result);
    log.info({ accountId, eventId, state: result.state }, "attachment settled");
    if (left > 0) return;
    const ready = await inbox.mediaReady(accountId, eventId);
    if (ready !== undefined) wakeIn(ready.sessionKey, `media ${eventId}`, ready.waitMs);
  }
}
