/** One call of a Bot API method as the server saw it. */
export interface Call {
  readonly method: string;
  /** Milliseconds on the server's clock. */
  readonly at: number;
  readonly botId: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Names of uploaded parts. */
  readonly uploads: readonly string[];
  /** `pending` until the effect is decided. A call that met a fault has the fault's outcome. */
  outcome: "pending" | "ok" | "refused" | "dropped";
  errorCode?: number;
  description?: string;
  result?: unknown;
}

export type CallListener = (call: Call) => void | Promise<void>;

const keptPerMethod = 2_000;

/** Remembers the last 2,000 calls of each method and counts all of them. */
export class CallLog {
  readonly #calls = new Map<string, Call[]>();
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Map<string, Set<CallListener>>();

  /** The remembered calls of one method, oldest first. */
  of(method: string): readonly Call[] {
    return this.#calls.get(method) ?? [];
  }

  /** All calls of one method since the start or the last `clear`, remembered or not. */
  count(method: string): number {
    return this.#counts.get(method) ?? 0;
  }

  methods(): string[] {
    return [...this.#counts.keys()];
  }

  clear(): void {
    this.#calls.clear();
    this.#counts.clear();
  }

  /** Calls `listener` when a call of `method` (`*` for all) arrives; its effect waits for the listener. */
  onCall(method: string, listener: CallListener): () => void {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  async record(call: Call): Promise<void> {
    const calls = this.#calls.get(call.method) ?? [];
    calls.push(call);
    if (calls.length >= keptPerMethod * 2) calls.splice(0, calls.length - keptPerMethod);
    this.#calls.set(call.method, calls);
    this.#counts.set(call.method, this.count(call.method) + 1);
    for (const name of [call.method, "*"]) {
      for (const listener of this.#listeners.get(name) ?? []) await listener(call);
    }
  }
}
