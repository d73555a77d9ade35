import type { AdapterStore } from "@talaria/adapter";
import { BoundedMap } from "@talaria/adapter-kit";
import { z } from "zod";

const storeName = "cursors";
const keptPlaces = 500;
const stored = z.array(z.tuple([z.string().max(200), z.string().max(30)]));

/**
 * The last recorded message of each place, across restarts. A place is a channel, or `channel/thread`. Writes are
 * gathered; the next one repeats what one that failed did not store.
 */
export class Cursors {
  readonly #store: AdapterStore;
  readonly #places = new BoundedMap<string, string>(keptPlaces);
  #writing: Promise<void> | undefined;
  #isChanged = false;

  private constructor(store: AdapterStore, places: Iterable<readonly [place: string, ts: string]>) {
    this.#store = store;
    for (const [place, ts] of places) this.#places.set(place, ts);
  }

  static async load(store: AdapterStore): Promise<Cursors> {
    const text = await store.read(storeName);
    return new Cursors(store, text === undefined ? [] : (stored.safeParse(parsed(text)).data ?? []));
  }

  /** Each place and its last message, the most recently used first. */
  places(): readonly (readonly [place: string, ts: string])[] {
    return [...this.#places].reverse();
  }

  /** Remembers a recorded message. The longest silent place is forgotten when there are too many. */
  move(place: string, ts: string): void {
    const last = this.#places.get(place);
    this.#places.set(place, last !== undefined && last > ts ? last : ts);
    this.#isChanged = true;
    this.#writing ??= this.#write();
  }

  forget(place: string): void {
    this.#places.delete(place);
  }

  /** Resolves when everything is written, or cannot be. */
  async settle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#isChanged) {
        this.#isChanged = false;
        await this.#store.write(storeName, JSON.stringify([...this.#places]));
      }
    } catch {
      this.#isChanged = true;
    } finally {
      this.#writing = undefined;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
