import type { Clock } from "@talaria/protocol";
import { GatewayError } from "@talaria/protocol";
import type { AckNode } from "./socket.ts";

/** The server answers within a second or two; a slow uplink may hold a file for longer. */
const patienceMs = 50_000;

/**
 * Waits for the server's word on messages that were written to the socket. Until then nobody knows whether it has them.
 */
export class Acknowledgements {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to wait; call it before the message is written. `done` ends the wait in any case. */
  expect(messageId: string) {
    const answer = Promise.withResolvers<void>();
    answer.promise.catch(() => undefined);
    this.#waiting.set(messageId, answer);
    return {
      /** Resolves when the server has the message. Throws `forbidden` when it refused, `unavailable` when nobody knows. */
      acknowledged: async (signal: AbortSignal) => {
        const over = new AbortController();
        const late = this.#clock.sleep(patienceMs, AbortSignal.any([signal, over.signal])).then(
          () => Promise.reject(unknown("the server did not answer")),
          () => {
            if (signal.aborted) throw new GatewayError("the call send was aborted", { code: "aborted" });
          },
        );
        try {
          await Promise.race([answer.promise, late]);
        } finally {
          over.abort();
          await late.catch(() => undefined);
        }
      },
      done: () => void this.#waiting.delete(messageId),
    };
  }

  take({ attrs: { id = "", error } }: AckNode): void {
    const answer = this.#waiting.get(id);
    if (error === undefined) answer?.resolve();
    else
      answer?.reject(
        new GatewayError(`whatsapp refused a message with ${error.slice(0, 40)}`, {
          code: "forbidden",
          effect: "none",
        }),
      );
  }

  /** The connection is gone: what is not answered stays unknown. */
  lost(): void {
    for (const answer of this.#waiting.values()) answer.reject(unknown("the connection was lost"));
  }
}

function unknown(what: string): GatewayError {
  return new GatewayError(`whatsapp did not confirm a message: ${what}`, { code: "unavailable", effect: "unknown" });
}
