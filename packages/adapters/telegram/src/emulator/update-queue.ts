import type { Update } from "grammy/types";
import { conflict } from "./api-error.ts";
import { BoundedMap } from "./bounded-map.ts";

/** Kinds a bot gets only when it asks for them by name. */
const onDemandOnly = new Set(["chat_member", "message_reaction", "message_reaction_count"]);
const rememberedUpdates = 10_000;

interface WaitingPoll {
  answer(): void;
  refuse(error: Error): void;
}

/**
 * The updates that wait for one bot, ordered by `update_id`. An update leaves only when a poll confirms it
 * with a higher offset, or when a webhook answered 2xx.
 */
export class UpdateQueue {
  readonly #pending = new Map<number, Update>();
  readonly #remembered = new BoundedMap<number, Update>(rememberedUpdates);
  #again: Update[] = [];
  #allowed: ReadonlySet<string> | undefined;
  #nextId: number;
  #waiting: WaitingPoll | undefined;
  #wakeScheduled = false;
  #duplicate = 0;
  #reverseNext = false;
  /** Called for every update that is to be delivered, also when it is delivered again; the webhook listens here. */
  onUpdate: ((update: Update) => void) | undefined;

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#pending.size;
  }

  pending(): IterableIterator<Update> {
    return this.#pending.values();
  }

  /** Sticky until the next list. An empty list means the default kinds. */
  allow(kinds: readonly string[] | undefined): void {
    if (kinds !== undefined) this.#allowed = kinds.length === 0 ? undefined : new Set(kinds);
  }

  get allowed(): readonly string[] {
    return [...(this.#allowed ?? [])];
  }

  /** Adds an update unless the bot did not ask for this kind. Returns its id when it was added. */
  push(kind: string, payload: unknown): number | undefined {
    const wanted = this.#allowed === undefined ? !onDemandOnly.has(kind) : this.#allowed.has(kind);
    return wanted ? this.pushRaw({ [kind]: payload }) : undefined;
  }

  /** Adds any payload, well-formed or not, whatever the bot asked for. A numeric `update_id` in it is kept. */
  pushRaw(payload: Record<string, unknown>): number {
    const given = payload.update_id;
    const id = typeof given === "number" ? given : this.#nextId;
    this.#nextId = Math.max(this.#nextId, id) + 1;
    const update = { update_id: id, ...payload } as Update;
    this.#pending.set(id, update);
    this.#remembered.set(id, update);
    this.#announce(update);
    if (this.#duplicate > 0) {
      this.#duplicate -= 1;
      this.redeliver(id);
    }
    return id;
  }

  /** Delivers an update once more under the same id, whether or not it was confirmed. */
  redeliver(id: number): void {
    const update = this.#remembered.get(id);
    if (update === undefined) throw new Error(`update ${id} is not known (any more)`);
    if (this.onUpdate === undefined) this.#again.push(update);
    this.#announce(update);
  }

  /** The next `count` updates arrive twice. */
  duplicateNext(count: number): void {
    this.#duplicate += count;
  }

  /** The next poll that finds more than one update gets them newest first. */
  reverseNextBatch(): void {
    this.#reverseNext = true;
  }

  /** True once, when `reverseNextBatch` was asked for. */
  takeReverse(): boolean {
    const reverse = this.#reverseNext;
    this.#reverseNext = false;
    return reverse;
  }

  settle(id: number): void {
    this.#pending.delete(id);
  }

  clear(): void {
    this.#pending.clear();
    this.#again = [];
  }

  /**
   * One `getUpdates` call. Confirms everything below `offset`, then answers at once when something waits, else when something
   * arrives or the time is over. A second call makes the waiting one fail with 409, and so does `terminate`.
   */
  async poll(
    { offset = 0, limit, timeoutMs }: { offset?: number; limit: number; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<Update[]> {
    this.terminate("terminated by other getUpdates request; make sure that only one bot instance is running");
    this.#confirm(offset);
    if ((this.#pending.size > 0 || this.#again.length > 0) && !signal.aborted) return this.#take(limit);
    if (timeoutMs > 0) await this.#wait(timeoutMs, signal);
    return signal.aborted ? [] : this.#take(limit);
  }

  /** Ends the waiting poll, if any, with 409. */
  terminate(reason: string): void {
    this.#waiting?.refuse(conflict(reason));
  }

  get isPolled(): boolean {
    return this.#waiting !== undefined;
  }

  #confirm(offset: number): void {
    if (offset < 0) {
      const forgotten = this.#pending.size + offset;
      for (const id of [...this.#pending.keys()].slice(0, Math.max(0, forgotten))) this.#pending.delete(id);
      return;
    }
    for (const id of this.#pending.keys()) {
      if (id >= offset) break;
      this.#pending.delete(id);
    }
  }

  #take(limit: number): Update[] {
    const batch = this.#again.splice(0, limit);
    for (const update of this.#pending.values()) {
      if (batch.length >= limit) break;
      batch.push(update);
    }
    return batch.length > 1 && this.takeReverse() ? batch.reverse() : batch;
  }

  #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        if (this.#waiting === waiting) this.#waiting = undefined;
        settle();
      };
      const waiting: WaitingPoll = {
        answer: () => finish(resolve),
        refuse: (error) => finish(() => reject(error)),
      };
      const timer = setTimeout(waiting.answer, timeoutMs);
      const onAbort = () => waiting.answer();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting = waiting;
    });
  }

  /** Wakes the waiting poll after the current tick, so that a burst arrives as one batch. */
  #announce(update: Update): void {
    this.onUpdate?.(update);
    if (this.#waiting === undefined || this.#wakeScheduled) return;
    this.#wakeScheduled = true;
    setImmediate(() => {
      this.#wakeScheduled = false;
      if (this.#pending.size > 0 || this.#again.length > 0) this.#waiting?.answer();
    });
  }
}
