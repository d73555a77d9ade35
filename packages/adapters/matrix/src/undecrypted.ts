import type { AdapterStore } from "@talaria/adapter";
import type { Clock, Log } from "@talaria/protocol";
import { z } from "zod";
import { type RoomEvent, readEvent } from "./wire.ts";

/** An encrypted event whose key has not come. */
export interface UndecryptedEvent {
  readonly roomId: string;
  readonly event: RoomEvent;
  readonly sinceMs: number;
  /** Somebody was told that it could not be read. */
  readonly isTold: boolean;
}

/** The name under which the waiting events are stored. */
const undecryptedKey = "undecrypted";

/** Keys are waited for this long. */
const keptMs = 7 * 24 * 60 * 60_000;

/** Keys often come a moment after the message; nobody is told before. */
const graceMs = 10_000;

/** Waiting events at a time; the oldest are dropped first. */
const maxWaiting = 300;

const stored = z
  .array(z.object({ roomId: z.string(), raw: z.unknown(), sinceMs: z.number(), isTold: z.boolean() }))
  .catch([]);

/** The events that wait for their keys, remembered across restarts. */
export class UndecryptedEvents {
  readonly #store: AdapterStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #events: Map<string, UndecryptedEvent>;

  private constructor(store: AdapterStore, clock: Clock, log: Log, events: Map<string, UndecryptedEvent>) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#events = events;
  }

  static async load(store: AdapterStore, clock: Clock, log: Log): Promise<UndecryptedEvents> {
    const rows = stored.parse(JSON.parse((await store.read(undecryptedKey)) ?? "[]"));
    const events = rows.flatMap(({ raw, ...row }): [string, UndecryptedEvent][] => {
      const event = readEvent(raw);
      return event === undefined ? [] : [[event.event_id, { ...row, event }]];
    });
    return new UndecryptedEvents(store, clock, log, new Map(events));
  }

  list(): readonly UndecryptedEvent[] {
    return [...this.#events.values()];
  }

  /** Whether it waited long enough for somebody to be told. */
  isDue(eventId: string): boolean {
    const waiting = this.#events.get(eventId);
    if (waiting === undefined) return false;
    const waitedMs = this.#clock.now() - waiting.sinceMs;
    // Stored, so by the wall clock; where that was set back, it has waited for long enough.
    return waitedMs < 0 || waitedMs >= graceMs;
  }

  async add(roomId: string, event: RoomEvent): Promise<void> {
    if (this.#events.has(event.event_id)) return;
    const nowMs = this.#clock.now();
    this.#events.set(event.event_id, { roomId, event, sinceMs: nowMs, isTold: false });
    for (const [id, { sinceMs }] of this.#events) {
      const isTooMuch = this.#events.size > maxWaiting;
      if (!isTooMuch && nowMs - sinceMs <= keptMs) break;
      this.#events.delete(id);
      this.#log.warn({ eventId: id }, "an event could not be decrypted in time and is given up");
    }
    await this.#save();
  }

  async remove(eventId: string): Promise<void> {
    if (this.#events.delete(eventId)) await this.#save();
  }

  async told(eventId: string): Promise<void> {
    const waiting = this.#events.get(eventId);
    if (waiting === undefined) return;
    this.#events.set(eventId, { ...waiting, isTold: true });
    await this.#save();
  }

  #save(): Promise<void> {
    const rows = [...this.#events.values()].map(({ event, ...row }) => ({ ...row, raw: event.raw }));
    return this.#store.write(undecryptedKey, JSON.stringify(rows));
  }
}
