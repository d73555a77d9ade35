/** Requests of one token. A call is one, and what a client asks besides is few. */
const mostPerMinute = 1_200;
const windowMs = 60_000;
/** At the same time. Streams that wait for news count, too. */
const mostOfOne = 16;
const mostInAll = 128;

interface Usage {
  since: number;
  count: number;
  open: number;
}

/** Counts requests by token. Remembers a token for a minute after its last one. */
export class CallerRate {
  readonly #usage = new Map<string, Usage>();
  #all = 0;

  /** A sentence where no further request fits; otherwise `leave` must follow. */
  enter(digest: string, now: number): string | undefined {
    this.#forget(now);
    const usage = this.#usage.get(digest) ?? { since: now, count: 0, open: 0 };
    if (now - usage.since >= windowMs) Object.assign(usage, { since: now, count: 0 });
    if (usage.open >= mostOfOne) return `more than ${mostOfOne} requests of this token at a time`;
    if (this.#all >= mostInAll) return "too many requests at a time";
    if (usage.count >= mostPerMinute) return `more than ${mostPerMinute} requests of this token a minute`;
    usage.count += 1;
    usage.open += 1;
    this.#all += 1;
    this.#usage.set(digest, usage);
    return undefined;
  }

  leave(digest: string): void {
    const usage = this.#usage.get(digest);
    if (usage === undefined) return;
    usage.open -= 1;
    this.#all -= 1;
  }

  get remembered(): number {
    return this.#usage.size;
  }

  #forget(now: number): void {
    for (const [digest, { since, open }] of this.#usage)
      if (open === 0 && now - since >= windowMs) this.#usage.delete(digest);
  }
}
