import type { Log } from "@talaria/protocol";
import type { Store } from "@talaria/store";

const lookMs = 2_000;

/** Ends the answers that are being written for tokens that were revoked. Looks only while there are some. */
export class Revocations {
  readonly #store: Pick<Store["mcpTokens"], "living">;
  readonly #log: Log;
  readonly #open = new Map<AbortController, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store["mcpTokens"], "living">, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** The controller is aborted once the token is gone. `forget` must follow. */
  watch(digest: string, ending: AbortController): void {
    this.#open.set(ending, digest);
    this.#timer ??= setInterval(() => void this.#look(), lookMs);
  }

  forget(ending: AbortController): void {
    this.#open.delete(ending);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const ending of this.#open.keys()) ending.abort();
  }

  async #look(): Promise<void> {
    try {
      const living = new Set(await this.#store.living([...new Set(this.#open.values())]));
      for (const [ending, digest] of this.#open) if (!living.has(digest)) ending.abort();
    } catch (error) {
      this.#log.warn({ error }, "whether tokens are revoked could not be looked up");
    }
  }
}
