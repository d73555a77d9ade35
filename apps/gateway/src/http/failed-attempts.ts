/** Failed authentications from one source per minute; further ones get a 429. */
const mostPerMinute = 60;
const windowMs = 60_000;
/** Maximum number of sources remembered. The least recently active one is forgotten first. */
const mostSources = 1_000;

interface Attempts {
  since: number;
  count: number;
}

/** Counts failed authentications by source. Never blocks an authenticated request: many senders may share an address. */
export class FailedAttempts {
  readonly #bySource = new Map<string, Attempts>();

  /** Counts one; true if the source is over its limit. */
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
