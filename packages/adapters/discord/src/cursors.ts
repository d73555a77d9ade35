import type { AdapterStore } from "@talaria/adapter";
import { z } from "zod";
import { snowflake } from "./wire.ts";

/** Discord's ids count milliseconds from the first second of 2015, above 22 lower bits. */
const discordEpochMs = 1_420_070_400_000;

/** Channels beyond this are forgotten, the longest silent one first. */
const keptChannels = 1_000;
const storeName = "cursors";

const stored = z.object({ since: snowflake, channels: z.array(z.tuple([snowflake, snowflake])) });

/**
 * The last accepted message of each channel, across restarts. Of channels without one nothing was accepted since
 * `since`. Writes are gathered: while one is under way, later changes wait for the next.
 */
export class Cursors {
  readonly #store: AdapterStore;
  readonly #channels: Map<string, bigint>;
  #since: bigint;
  #writing: Promise<void> | undefined;
  #isChanged = false;

  private constructor(store: AdapterStore, since: bigint, channels: Map<string, bigint>) {
    this.#store = store;
    this.#since = since;
    this.#channels = channels;
  }

  static async load(store: AdapterStore, now: number): Promise<Cursors> {
    const text = await store.read(storeName);
    const read = text === undefined ? undefined : stored.safeParse(parsed(text)).data;
    const channels = new Map((read?.channels ?? []).map(([channel, last]) => [channel, BigInt(last)]));
    const cursors = new Cursors(store, read === undefined ? firstIdAt(now) : BigInt(read.since), channels);
    if (read === undefined) await cursors.#write();
    return cursors;
  }

  /** After which message of a channel we have nothing. */
  of(channelId: string): bigint {
    return this.#channels.get(channelId) ?? this.#since;
  }

  /** Whether the cursor of a channel is at a message or behind it. */
  covers(channelId: string, messageId: bigint): boolean {
    return messageId <= (this.#channels.get(channelId) ?? -1n);
  }

  knows(channelId: string): boolean {
    return this.#channels.has(channelId);
  }

  channels(): Iterable<string> {
    return this.#channels.keys();
  }

  /** Remembers that everything up to a message is accepted. Resolves when that is stored. */
  async move(channelId: string, messageId: bigint): Promise<void> {
    if (this.covers(channelId, messageId)) return;
    this.#channels.delete(channelId);
    this.#channels.set(channelId, messageId);
    const oldest = this.#channels.entries().next();
    if (this.#channels.size > keptChannels && !oldest.done) {
      const [channel, last] = oldest.value;
      this.#channels.delete(channel);
      if (last > this.#since) this.#since = last;
    }
    await this.#save();
  }

  async forget(channelId: string): Promise<void> {
    if (this.#channels.delete(channelId)) await this.#save();
  }

  async #save(): Promise<void> {
    this.#isChanged = true;
    while (this.#isChanged) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async #write(): Promise<void> {
    this.#isChanged = false;
    const channels = [...this.#channels].map(([channel, last]) => [channel, String(last)]);
    try {
      await this.#store.write(storeName, JSON.stringify({ since: String(this.#since), channels }));
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }
}

/** The smallest id that Discord gives out at a time, in milliseconds since 1970. */
export function firstIdAt(milliseconds: number): bigint {
  return BigInt(Math.max(0, Math.trunc(milliseconds) - discordEpochMs)) << 22n;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
