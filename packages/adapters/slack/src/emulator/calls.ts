/** One request as the server saw it: a method of the Web API, `upload` or `download`. */
export interface SlackCall {
  readonly method: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly args: Readonly<Record<string, unknown>>;
}

const keptCalls = 5_000;

/** Remembers the last calls. */
export class SlackCalls {
  readonly #calls: SlackCall[] = [];

  record(call: SlackCall): void {
    this.#calls.push(call);
    if (this.#calls.length > keptCalls) this.#calls.shift();
  }

  /** The calls of one method, or all, oldest first. */
  of(method?: string): readonly SlackCall[] {
    return method === undefined ? [...this.#calls] : this.#calls.filter((call) => call.method === method);
  }
}
