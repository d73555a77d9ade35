/** Wrong proofs from one source within a minute; further ones are told to wait. */
const mostPerMinute = 60;
const windowMs = 60_000;
/** Sources remembered at once. The one that has been quiet the longest is forgotten first. */
const mostSources = 1_000;

interface Attempts {
  since: number;
  count: number;
}

/** Counts wrong proofs by source. It never keeps out a request that proves itself: many may share an address. */
export class FailedAttempts {
  readonly #bySource = new Map<string, Attempts>();

  /** Notes one and answers whether the source has had its share. */
  note(source: string, now: number): boolean {
    const known = this.#bySource.get(source);
    const attempts = known !== undefined && now - known.since < windowMs ? known : { since: now, count: 0 };
    attempts.count += 1;
    this.#bySource.delete(source);
    this.#bySource.set(source, attempts);
    const oldest = this.#bySource.keys().next();
    if (this.#bySource.size > mostSources && !oldest.done) this.#bySource.delete(oldest.value);
    return attempts.count > mostPerMinute;
  }
}
