import type { Clock } from "@talaria/protocol";
import type { MessageNode, WebMessage } from "./socket.ts";

/** How long later messages wait for one whose frame came before theirs. Deciphering takes milliseconds. */
const patienceMs = 1_000;
/** With more frames waiting than this, further ones keep no place. */
const mostExpected = 1_000;

interface Expected {
  readonly come: (message: WebMessage | undefined) => void;
}

/**
 * Who came first. Baileys 7 rc14 looks up who a sender is before it queues the message, so that messages of different people may
 * overtake each other within milliseconds; the frames themselves come in the server's order. Frames of what was said while the
 * device was away need no place: the library reads those one after the other.
 */
export class Arrivals {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /**
   * Keeps a place for the message of a frame: resolves with the message, or with nothing when none came in a second or the account stops.
   * Undefined where the frame gets no place.
   */
  expect({ attrs: { id, offline } }: MessageNode): Promise<WebMessage | undefined> | undefined {
    if (id === undefined || offline !== undefined || this.#expected.has(id) || this.#expected.size >= mostExpected)
      return undefined;
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<WebMessage | undefined>();
    const come = (message: WebMessage | undefined) => {
      this.#expected.delete(id);
      over.abort();
      resolve(message);
    };
    this.#expected.set(id, { come });
    this.#clock.sleep(patienceMs, AbortSignal.any([this.#signal, over.signal])).then(
      () => come(undefined),
      () => come(undefined),
    );
    return promise;
  }

  /** Puts a message into its place; false when it has none. */
  take(message: WebMessage): boolean {
    const expected = this.#expected.get(message.key.id ?? "");
    expected?.come(message);
    return expected !== undefined;
  }
}
