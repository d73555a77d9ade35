import type { AdapterStore } from "@talaria/adapter";
import type { Clock, Log } from "@talaria/protocol";
import { z } from "zod";

/** Both have to be over before an update that the host does not take is put aside. */
const patience = { attempts: 10, ms: 10 * 60_000 };
/** The same while Telegram holds back other people's updates behind it, and the host takes those that come. */
const patienceInCompany = { attempts: 5, ms: 0 };
/** More than this are not put aside: then the fault is not in the updates. */
const maxParked = 20;
/** How often what was put aside is offered again; at the begin of a connection too. */
export const retryParkedMs = 60 * 60_000;
/** Updates counted at a time. Telegram hands out a hundred. */
const maxCounted = 1_000;

const indexName = "refused-updates";
const nameOf = (updateId: number) => `refused-${updateId}`;

export interface RefusedUpdatesDeps {
  readonly store: AdapterStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RawUpdate {
  readonly update_id: number;
}

/**
 * The way out for an update that the host always refuses: it would hold back its chat for good, and everybody once a
 * hundred wait behind it. After a while it is stored as Telegram sent it, with an error in the log, counts as taken, and is
 * offered again each hour and at each start. While the database is unavailable too, or twenty are put aside, nothing is: then
 * Telegram keeps the updates. So none is ever lost unnoticed.
 */
export class RefusedUpdates {
  readonly #deps: RefusedUpdatesDeps;
  readonly #counted = new Map<number, { attempts: number; readonly since: number }>();
  #parked: Set<number> | undefined;

  constructor(deps: RefusedUpdatesDeps) {
    this.#deps = deps;
  }

  /** Reads which updates are put aside. Rejects when the database is unavailable. */
  async load(): Promise<void> {
    this.#parked = await this.#read();
  }

  /** Whether this very update is put aside and counts as taken. Telegram may restart its numbering after a quiet week. */
  async isParked(update: RawUpdate): Promise<boolean> {
    if (this.#parked?.has(update.update_id) !== true) return false;
    return (await this.#deps.store.read(nameOf(update.update_id))) === JSON.stringify(update);
  }

  accepted({ update_id }: RawUpdate): void {
    this.#counted.delete(update_id);
  }

  /** The host did not take an update. True when it is now put aside; false when Telegram has to send it again. */
  async refused(update: RawUpdate, error: unknown, othersWait: boolean): Promise<boolean> {
    const { clock, log } = this.#deps;
    const { update_id: updateId } = update;
    const counted = this.#counted.get(updateId) ?? { attempts: 0, since: clock.elapsed() };
    counted.attempts += 1;
    this.#counted.set(updateId, counted);
    for (const oldest of this.#counted.keys()) {
      if (this.#counted.size <= maxCounted) break;
      this.#counted.delete(oldest);
    }
    const { attempts, since } = counted;
    const enough = othersWait ? patienceInCompany : patience;
    if (attempts < enough.attempts || clock.elapsed() - since < enough.ms) return false;
    try {
      return await this.#park(update, { error, attempts });
    } catch (failure) {
      log.warn({ error: failure, updateId, attempts }, "an update that is always refused could not be put aside");
      return false;
    }
  }

  /** Numbers of the updates that are put aside. */
  parked(): readonly number[] {
    return [...(this.#parked ?? [])];
  }

  /** An update that was put aside, as Telegram sent it. Undefined when it is not there any more. */
  async read(updateId: number): Promise<unknown> {
    const text = await this.#deps.store.read(nameOf(updateId));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The host has taken an update that was put aside: it is forgotten. */
  async taken(updateId: number): Promise<void> {
    await this.#write([...(await this.#read())].filter((id) => id !== updateId));
    await this.#deps.store.remove(nameOf(updateId));
    this.#deps.log.info({ updateId }, "an update that had been put aside was taken");
  }

  async #park(update: RawUpdate, { error, attempts }: { error: unknown; attempts: number }): Promise<boolean> {
    const { store, log } = this.#deps;
    const { update_id: updateId } = update;
    const parked = await this.#read();
    if (parked.size >= maxParked && !parked.has(updateId)) {
      const hint = "twenty updates are put aside already: the fault is in the gateway. Telegram keeps the others.";
      log.error({ updateId, attempts, error }, hint);
      return false;
    }
    await store.write(nameOf(updateId), JSON.stringify(update));
    await this.#write([...parked, updateId]);
    this.#counted.delete(updateId);
    const facts = { updateId, attempts, error, storedAs: nameOf(updateId), parked: this.#parked?.size };
    log.error(facts, "an update is always refused; it is put aside, so that nobody waits for it, and offered again");
    return true;
  }

  /** As stored, because several gateways may put updates of one account aside. */
  async #read(): Promise<Set<number>> {
    const text = await this.#deps.store.read(indexName);
    return new Set(text === undefined ? [] : z.array(z.int()).parse(JSON.parse(text)));
  }

  async #write(ids: readonly number[]): Promise<void> {
    await this.#deps.store.write(indexName, JSON.stringify([...new Set(ids)]));
    this.#parked = new Set(ids);
  }
}
