import type { AdapterStore } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";

/** Turns keys into text and back: they hold bytes. */
export interface KeyCodec {
  write(value: unknown): string;
  read(text: string): unknown;
}

type KeySet = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Keys of one type are spread over this many entries of the store, so that a change writes little. */
const shards = 64;

/**
 * What makes this gateway a linked device: credentials and keys, in the adapter's store, which encrypts. Each change is
 * written before `flushed` resolves, in the order of the changes; one that can't be written ends everything that waits.
 */
export class Credentials {
  readonly #store: AdapterStore;
  readonly #codec: KeyCodec;
  readonly #loaded = new Map<string, Promise<Map<string, unknown>>>();
  #writing: Promise<void> = Promise.resolve();
  #failure: GatewayError | undefined;

  constructor(store: AdapterStore, codec: KeyCodec) {
    this.#store = store;
    this.#codec = codec;
  }

  /** Undefined before the first link. */
  async readCreds(): Promise<unknown> {
    const text = await this.#store.read("web-creds");
    return text === undefined ? undefined : this.#codec.read(text);
  }

  writeCreds(creds: unknown): Promise<void> {
    // Taken now: the library goes on changing the object.
    const text = this.#codec.write(creds);
    return this.#enqueue(() => this.#store.write("web-creds", text));
  }

  async get(type: string, ids: readonly string[]): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const id of ids) {
      const value = (await this.#shard(shardOf(type, id))).get(id);
      if (value !== undefined) found[id] = value;
    }
    return found;
  }

  /** Null takes a key away. Resolves once everything is written. */
  async set(data: KeySet): Promise<void> {
    const changed = new Set<string>();
    for (const [type, entries] of Object.entries(data))
      for (const [id, value] of Object.entries(entries ?? {})) {
        const name = shardOf(type, id);
        const shard = await this.#shard(name);
        if (value === null || value === undefined) shard.delete(id);
        else shard.set(id, value);
        changed.add(name);
      }
    await Promise.all(
      [...changed].map(async (name) => {
        const text = this.#codec.write([...(await this.#shard(name))]);
        await this.#enqueue(() => this.#remember(name, text));
      }),
    );
  }

  /** Resolves when every change so far is written. Rejects when one could not be. */
  async flushed(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Forgets the link. */
  async clear(): Promise<void> {
    await this.#writing;
    const names = await this.#names();
    for (const name of ["web-creds", "web-index", ...names]) await this.#store.remove(name);
    this.#loaded.clear();
    this.#failure = undefined;
  }

  #shard(name: string): Promise<Map<string, unknown>> {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const loading = this.#store
      .read(name)
      .then((text) => new Map(text === undefined ? [] : (this.#codec.read(text) as [string, unknown][])));
    this.#loaded.set(name, loading);
    loading.catch(() => this.#loaded.delete(name));
    return loading;
  }

  /** The index names every entry before it is there, so that `clear` finds them all. */
  async #remember(name: string, text: string): Promise<void> {
    const names = await this.#names();
    if (!names.includes(name)) await this.#store.write("web-index", JSON.stringify([...names, name]));
    await this.#store.write(name, text);
  }

  async #names(): Promise<readonly string[]> {
    return JSON.parse((await this.#store.read("web-index")) ?? "[]") as string[];
  }

  #enqueue(write: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(write);
    this.#writing = done.catch((cause: unknown) => {
      this.#failure ??= new GatewayError("a key of the linked device could not be stored", {
        code: "unavailable",
        effect: "none",
        cause,
      });
    });
    return done;
  }
}

function shardOf(type: string, id: string): string {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  // Pre-keys come in long runs of numbers: neighbours belong together.
  const shard = /^\d+$/.test(id) && type === "pre-key" ? Math.floor(Number(id) / 64) : sum;
  return `web-${type}-${shard % shards}`;
}
