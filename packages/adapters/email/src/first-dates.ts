/** Mails that may be sent once more. */
const mostKept = 1_000;

/**
 * When each mail was first tried. A second copy has the same Date as well as the same Message-ID: Exchange then delivers one of them
 * (learn.microsoft.com, "How to Configure Duplicate Message Detection in Exchange 2007"). In memory: a copy after a restart has a Date of its own.
 */
export class FirstDates {
  readonly #triedAt = new Map<string, number>();

  of(messageId: string, nowMs: number): number {
    const triedAt = this.#triedAt.get(messageId) ?? nowMs;
    this.#triedAt.set(messageId, triedAt);
    const [oldest] = this.#triedAt.keys();
    if (this.#triedAt.size > mostKept && oldest !== undefined) this.#triedAt.delete(oldest);
    return triedAt;
  }

  /** The server has it: it is not sent again. */
  forget(messageId: string): void {
    this.#triedAt.delete(messageId);
  }
}
