import {
  type AccountId,
  brandAs,
  type Clock,
  type DeliveryKey,
  type Log,
  type OutboundMessage,
} from "@talaria/protocol";
import { type CallStore, clockTimes, type Home, type ProblemStore } from "@talaria/store";
import { inEveryLanguage, wordsAt } from "@talaria/words";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 15_000;
/** A database that is away for less is a hiccup. */
const graceMs = 20_000;
/** How long one look, and one message, may take. */
const patienceMs = 10_000;

export interface DatabaseWatchDeps {
  readonly store: {
    ping(signal: AbortSignal): Promise<void>;
    readonly calls: Pick<CallStore, "ownersPlaces">;
    readonly problems: ProblemStore;
  };
  /** Posts without the outbox, once. Rejects where this process does not hold the account. */
  readonly sendNow: (message: OutboundMessage, signal: AbortSignal) => Promise<void>;
  /** Lossy, and never throws. */
  readonly deliver: (accountId: AccountId) => void;
  readonly clock: Pick<Clock, "now" | "elapsed">;
  readonly log: Log;
}

/** Looks whether the database takes messages, and tells owners where it does not. */
export function startDatabaseWatch(deps: DatabaseWatchDeps): Repeated {
  const watch = new DatabaseWatch(deps);
  const failed = (error: unknown) => deps.log.warn({ error }, "owners could not be told of the database");
  return repeat((signal) => watch.look(signal), { everyMs, failed });
}

interface Outage {
  /** By the wall clock, and by the one that only runs forward. */
  readonly since: number;
  readonly began: number;
  /** Places in which owners have read of it. */
  readonly told: Set<string>;
}

/**
 * Every text waits in the database before it goes out, so that a database that takes none can't say so. Owners are told by a post past the
 * outbox, at most once in each place for an outage: what is lost with it is said again, by the outbox, when the outage is over. Both
 * know of it only as long as this process lives.
 */
export class DatabaseWatch {
  readonly #deps: DatabaseWatchDeps;
  #places: readonly Home[] = [];
  #outage: Outage | undefined;

  constructor(deps: DatabaseWatchDeps) {
    this.#deps = deps;
  }

  /** One look. Rejects when the store fails although it takes messages. */
  async look(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    try {
      await store.ping(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
    } catch (error) {
      if (!signal.aborted) await this.#failed(error, signal);
      return;
    }
    const outage = this.#outage;
    if (outage !== undefined) await this.#over(outage, clock.elapsed() - outage.began);
    this.#outage = undefined;
    this.#places = await store.calls.ownersPlaces();
  }

  async #failed(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, store, sendNow, log } = this.#deps;
    this.#outage ??= { since: clock.now(), began: clock.elapsed(), told: new Set() };
    const { since, began, told } = this.#outage;
    if (clock.elapsed() - began < graceMs) return;
    // A full disk can still be read.
    this.#places = await store.calls.ownersPlaces().catch(() => this.#places);
    const isFull = error instanceof Error && /disk .* full/.test(error.message);
    for (const place of this.#places) {
      const { conversation } = place;
      const key = `database:${since}:${conversation.accountId}:${conversation.conversationId}`;
      if (told.has(key)) continue;
      // Before it is sent: what may have arrived is not posted again.
      told.add(key);
      const { databaseFull, databaseAway } = wordsAt(place).ownerNews;
      const markdown = isFull ? databaseFull : databaseAway;
      const message = { deliveryKey: brandAs<DeliveryKey>(key), conversation, markdown, attachments: [] };
      try {
        await sendNow(message, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
        log.warn({ accountId: conversation.accountId }, "owners were told that the database takes no messages");
      } catch (failure) {
        log.warn({ accountId: conversation.accountId, error: failure }, "owners could not be told of the database");
      }
    }
  }

  async #over({ since, told: { size } }: Outage, lastedMs: number): Promise<void> {
    if (size === 0 && lastedMs < graceMs) return;
    const { store, deliver, log } = this.#deps;
    const at = new Date(since).toISOString();
    // Several gateways see the same outage; one that has told of it also says that it is over.
    const key = size === 0 ? "database" : `database:${since}`;
    const begun = clockTimes(`since ${at.slice(0, 19)}Z`, since + lastedMs);
    const told = inEveryLanguage(({ ownerNews }) => ownerNews.databaseBack(lastedMs, begun));
    const news = await store.problems.note([{ key, since: at, graceMs: 0, ...told }], []);
    for (const one of news.begun) log.info({ problem: one }, "owners were told that a problem is over");
    for (const accountId of news.accounts) deliver(accountId);
  }
}
