/** One REST call as the server saw it. */
export interface DiscordCall {
  /** Name of the route, such as `createMessage`. */
  readonly route: string;
  /** Milliseconds on the server's clock. */
  readonly at: number;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** HTTP status; 0 when no answer was given. */
  status: number;
}

const keptCalls = 5_000;

/** Remembers the last calls. */
export class DiscordCalls {
  readonly #calls: DiscordCall[] = [];

  record(call: DiscordCall): void {
    this.#calls.push(call);
    if (this.#calls.length > keptCalls) this.#calls.shift();
  }

  /** The calls of one route, or all, oldest first. */
  of(route?: string): readonly DiscordCall[] {
    return route === undefined ? [...this.#calls] : this.#calls.filter((call) => call.route === route);
  }
}
