import type { Clock, SessionKey } from "@talaria/protocol";

/** How long a provider's cache of a conversation lasts after its last use. */
const cacheMs = 5 * 60_000;
/** Sessions that were taken over and are remembered; the longest idle are forgotten first. */
const mostSessions = 10_000;

/** Which model took over which session. Going back earlier than needed would pay for the whole conversation again. */
export class StickyChoices {
  readonly #clock: Clock;
  readonly #bySession = new Map<SessionKey, { readonly name: string; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The model that holds the session's cache, when it is not the usual one. */
  of(session: SessionKey): string | undefined {
    const choice = this.#bySession.get(session);
    if (choice === undefined) return undefined;
    if (this.#clock.elapsed() - choice.atMs <= cacheMs) return choice.name;
    this.#bySession.delete(session);
    return undefined;
  }

  /** `isUsual`: nothing needs to be remembered. */
  served(session: SessionKey, name: string, isUsual: boolean): void {
    this.#bySession.delete(session);
    if (isUsual) return;
    if (this.#bySession.size >= mostSessions) {
      const [longestIdle] = this.#bySession.keys();
      if (longestIdle !== undefined) this.#bySession.delete(longestIdle);
    }
    this.#bySession.set(session, { name, atMs: this.#clock.elapsed() });
  }
}
