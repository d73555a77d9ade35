import { RunningAccepts } from "@talaria/adapter-kit";
import type { Log } from "@talaria/protocol";
import { type MatrixClient, path } from "./client.ts";

/** Shows people that their messages were read. A receipt that fails is forgotten: the next one covers it. */
export class Receipts {
  readonly #client: MatrixClient;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #running = new RunningAccepts();

  constructor(client: MatrixClient, log: Log, signal: AbortSignal) {
    this.#client = client;
    this.#log = log;
    this.#signal = signal;
  }

  /** Everything up to this event was read. */
  read(roomId: string, eventId: string): void {
    const where = path`/client/v3/rooms/${roomId}/receipt/m.read/${eventId}`;
    const sending = this.#client.call({ method: "POST", path: where, body: {} }, this.#signal).then(
      () => undefined,
      (error: unknown) => this.#log.debug({ error }, "a receipt was not sent"),
    );
    void this.#running.track(sending);
  }

  /** Resolves when nothing is in progress. */
  close(): Promise<void> {
    return this.#running.idle();
  }
}
