import type { AdapterStore } from "@talaria/adapter";
import { BoundedMap } from "@talaria/adapter-kit";
import type { Log } from "@talaria/protocol";
import { z } from "zod";
import type { SlackClient } from "./client.ts";
import { isRefusal } from "./errors.ts";

const storeName = "streams";
const keptStreams = 50;
const stored = z.array(z.tuple([z.string().max(50), z.string().max(30)]));

/**
 * The streams that are being written, across restarts. One whose process crashed would stay unfinished beside the final
 * text, which is sent as a new message: the next process deletes it.
 */
export class OpenStreams {
  readonly #client: SlackClient;
  readonly #store: AdapterStore;
  readonly #log: Log;
  readonly #open = new BoundedMap<string, string>(keptStreams);
  #writing: Promise<void> = Promise.resolve();

  constructor(client: SlackClient, store: AdapterStore, log: Log) {
    this.#client = client;
    this.#store = store;
    this.#log = log;
  }

  opened(channel: string, ts: string): Promise<void> {
    this.#open.set(ts, channel);
    return this.#save();
  }

  closed(ts: string): Promise<void> {
    this.#open.delete(ts);
    return this.#save();
  }

  /** Takes a stream away. Never throws: what is left is tried again by the next process. */
  async remove(channel: string, ts: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.call("chat.stopStream", { channel, ts }, signal).catch(() => undefined);
      await this.#client.call("chat.delete", { channel, ts }, signal);
    } catch (error) {
      if (!isRefusal(error, "message_not_found")) return this.#log.debug({ error }, "a stream was not taken away");
    }
    await this.closed(ts);
  }

  /** Takes away what an earlier process has left. Never throws. */
  async removeLeft(signal: AbortSignal): Promise<void> {
    const text = await this.#store.read(storeName).catch(() => undefined);
    const left = text === undefined ? [] : (stored.safeParse(parsed(text)).data ?? []);
    for (const [ts, channel] of left) {
      if (this.#open.has(ts)) continue;
      this.#open.set(ts, channel);
      await this.remove(channel, ts, signal);
    }
  }

  #save(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#store.write(storeName, JSON.stringify([...this.#open])))
      .catch((error: unknown) => this.#log.debug({ error }, "open streams were not stored"));
    return this.#writing;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
