import { createHash } from "node:crypto";
import type { ModelFailure } from "@talaria/agent";
import { keysOf, type ModelDeps, type RemoteConfig, reveal, type SecretText } from "../model-config.ts";
import { aboutTheKey, probeMs, restMs } from "../rest-time.ts";
import { createLocalRests, type SharedRests } from "../shared-rests.ts";

/** A key to ask with, and the client that has it. `apiKey` is undefined where the server needs none. */
export interface KeyedClient<Client> {
  /** Which of the configured keys it is, from 1. */
  readonly number: number;
  client(): Promise<Client>;
  /** Whether another key is to be tried after this failure; this one rests then. */
  failed(failure: ModelFailure): Promise<boolean>;
  worked(): Promise<void>;
}

/**
 * The keys of one model. They are used in the order of the configuration: a key that was refused, or has no money or no
 * requests left, rests, and the next one is used. When all rest, the one that wakes first is asked all the same.
 */
export class KeyRing<Client> {
  readonly #config: RemoteConfig & { readonly provider: string };
  readonly #deps: ModelDeps;
  readonly #rests: SharedRests;
  readonly #connect: (apiKey: SecretText | undefined) => Promise<Client>;
  readonly #clients = new Map<number, Promise<Client>>();

  constructor(
    config: RemoteConfig & { readonly provider: string },
    deps: ModelDeps,
    connect: (apiKey: SecretText | undefined) => Promise<Client>,
  ) {
    this.#config = config;
    this.#deps = deps;
    this.#rests = deps.rests ?? createLocalRests(deps.clock);
    this.#connect = connect;
  }

  /** The keys to try, one after the other. Never none. A single one is not left alone: that is up to the failover. */
  async *inOrder(): AsyncGenerator<KeyedClient<Client>> {
    const keys = keysOf(this.#config).map((key, index) => ({ index, name: this.#restName(key) }));
    if (keys.length < 2) {
      yield this.#keyed(0, undefined);
      return;
    }
    const left = await this.#ask(() => this.#rests.resting(keys.map(({ name }) => name)), new Map<string, number>());
    const leftOf = ({ name }: { readonly name: string }) => left.get(name) ?? 0;
    let asked = 0;
    for (const { index, name } of keys.filter((key) => leftOf(key) === 0)) {
      if (!(await this.#ask(() => this.#rests.probe(name, probeMs), true))) continue;
      asked += 1;
      yield this.#keyed(index, name);
    }
    const [earliest] = keys.toSorted((one, other) => leftOf(one) - leftOf(other));
    if (asked === 0 && earliest !== undefined) yield this.#keyed(earliest.index, earliest.name);
  }

  #keyed(index: number, name: string | undefined): KeyedClient<Client> {
    return {
      number: index + 1,
      client: () => this.#client(index),
      failed: async (failure) => {
        if (name === undefined || !aboutTheKey.has(failure.kind)) return false;
        await this.#ask(() => this.#rests.rest(name, restMs(failure, 1)), undefined);
        const fields = { model: this.#config.model, key: index + 1, code: failure.kind, reason: failure.message };
        this.#deps.log.warn(fields, "key of a model rests");
        return true;
      },
      worked: async () => {
        if (name !== undefined) await this.#ask(() => this.#rests.recovered(name), undefined);
      },
    };
  }

  #client(index: number): Promise<Client> {
    const known = this.#clients.get(index);
    if (known !== undefined) return known;
    const client = this.#connect(keysOf(this.#config)[index]).catch((error: unknown) => {
      this.#clients.delete(index);
      throw error;
    });
    this.#clients.set(index, client);
    return client;
  }

  /** The same key is the same name for every entry and every worker, and tells nothing about it. */
  #restName(key: SecretText): string {
    const { provider, baseUrl = "" } = this.#config;
    return `key:${createHash("sha256")
      .update(`${provider} ${baseUrl} ${reveal(key)}`)
      .digest("hex")
      .slice(0, 16)}`;
  }

  async #ask<T>(question: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await question();
    } catch (error) {
      this.#deps.log.warn({ error }, "shared rests cannot be reached");
      return otherwise;
    }
  }
}
