import { type Clock, GatewayError } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";

export interface WatchSettings {
  readonly clock: Clock;
  readonly config: { readonly checkEveryMs: number; readonly answerWithinMs: number };
}

/** Waits for mail to arrive. imapflow's own IDLE begins late and checks nothing, so this runs one of its own. */
export class MailWatch {
  readonly #client: ImapFlow;
  #hasArrived = false;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(client: ImapFlow) {
    this.#client = client;
    client.on("exists", () => {
      this.#hasArrived = true;
      this.#wake();
    });
    client.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /**
   * Resolves when something arrived since the last call, or when it is time to look anyway. Every wait ends with a question
   * to the server: a connection on which nobody answers within the time throws `unavailable`.
   */
  async next({ clock, config }: WatchSettings, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    const idling = this.#client.idle();
    idling.catch(() => undefined);
    try {
      await Promise.race([this.#arrival(), clock.sleep(config.checkEveryMs, until), idling]);
      this.#hasArrived = false;
      const answer = this.#client.noop().then(() => idling);
      answer.catch(() => undefined);
      const isLate = clock.sleep(config.answerWithinMs, until).then(() => {
        this.#client.close();
        throw new GatewayError("the mailbox does not answer any more", { code: "unavailable", effect: "none" });
      });
      isLate.catch(() => undefined);
      await Promise.race([answer, isLate]);
    } finally {
      over.abort();
    }
    if (this.#isClosed && !signal.aborted)
      throw new GatewayError("the mailbox ended the connection", { code: "unavailable", effect: "none" });
  }

  #arrival(): Promise<void> {
    if (this.#hasArrived || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
