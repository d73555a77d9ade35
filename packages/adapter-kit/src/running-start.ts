import type { AdapterHost, ConnectionState } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import { type Connection, keepConnected } from "./keep-connected.ts";
import type { LifecycleOptions, Opened } from "./lifecycle-options.ts";
import { RunningAccepts } from "./running-accepts.ts";

/** One start of an account, from its begin to the end of its stop. `Lifecycle` calls each method once. */
export class RunningStart<Run extends Opened> {
  readonly #host: AdapterHost;
  readonly #options: LifecycleOptions<Run>;
  readonly #stopping = new AbortController();
  readonly #accepts = new RunningAccepts();
  readonly #linking = Promise.withResolvers<void>();
  #opened: Run | undefined;
  #opening: Promise<void> = Promise.resolve();
  #connection: Connection | undefined;
  #isOver = false;

  constructor(host: AdapterHost, options: LifecycleOptions<Run>) {
    this.#host = host;
    this.#options = options;
  }

  get opened(): Run | undefined {
    return this.#opened;
  }

  /** Does nothing when a stop came first. */
  async begin(): Promise<void> {
    this.#opening = this.#open();
    await this.#opening;
    if (this.#connection !== undefined) await Promise.race([this.#connection.opened, this.#linking.promise]);
  }

  /** As `Connection.hurry`. */
  hurry(): void {
    this.#connection?.hurry();
  }

  abort(): void {
    this.#stopping.abort();
  }

  /** Ends everything; reports `stopped` also where something could not be closed, and then rejects. */
  async end(): Promise<void> {
    await this.#opening.catch(() => undefined);
    await this.#connection?.closed;
    try {
      await this.#opened?.close?.();
    } finally {
      await this.#accepts.idle();
      this.#isOver = true;
      await this.#accepts.idle();
      this.#host.report({ status: "stopped" });
    }
  }

  async #open(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const { open, clock, id, hint = seeTheLog } = this.#options;
    const opened = await open(this.#guarded(), signal);
    this.#opened = opened;
    if (signal.aborted) return;
    const report = (state: ConnectionState, cause?: Error) => this.#report(state, cause);
    if (opened.session === undefined) return report({ status: "connected" });
    const session = opened.session.bind(opened);
    this.#connection = keepConnected({ session, report, clock, seed: id, hint }, signal);
  }

  #guarded(): AdapterHost {
    return {
      accept: (event, options) => this.#call(() => this.#host.accept(event, options)),
      isAllowed: (from) => this.#call(() => this.#host.isAllowed(from)),
      heard: (conversation, messageId) => this.#call(() => this.#host.heard(conversation, messageId)),
      received: (from, messageIds) => this.#call(() => this.#host.received(from, messageIds)),
      kindChanged: (conversation) => this.#call(() => this.#host.kindChanged(conversation)),
      added: (conversation, by) => this.#call(() => this.#host.added(conversation, by)),
      leftOut: (reason) => this.#host.leftOut(reason),
      receipt: (receipt) => this.#call(() => this.#host.receipt(receipt)),
      report: (state, cause) => this.#report(state, cause),
    };
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#isOver) return this.#accepts.track(call());
    return Promise.reject(new GatewayError("the account is stopped", { code: "unavailable", effect: "none" }));
  }

  /** Libraries may still speak of a connection that we are closing. */
  #report(state: ConnectionState, cause?: Error): void {
    if (this.#stopping.signal.aborted) return;
    this.#host.report(state, cause);
    if (state.status === "linking") this.#linking.resolve();
  }
}

function seeTheLog(): string {
  return "see the log, fix the account, restart";
}
