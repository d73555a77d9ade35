/** Requests to one signed route that may be under way at once; a signature is not checked before the body is read. */
const mostPerRoute = 64;
/** The same from one source, so that one alone cannot take all places of a route with bodies that never end. */
const mostPerSource = 32;
/** Over all routes: what a gateway keeps in memory of unproven bodies stays bounded, however many routes it has. */
const mostInAll = 512;
/** A proxy on this machine that `gateway.trustedProxies` does not name speaks for many. */
const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** Counts requests that have not proven yet who sent them, by route and source. */
export class UnprovenRequests {
  readonly #counts = new Map<string, number>();
  #all = 0;

  /** Whether there is room for one more; then `leave` has to follow. */
  enter(route: string, source: string): boolean {
    const ofRoute = this.#counts.get(route) ?? 0;
    const ofSource = this.#counts.get(keyOf(route, source)) ?? 0;
    if (this.#all >= mostInAll || ofRoute >= mostPerRoute) return false;
    if (ofSource >= mostPerSource && !loopback.test(source)) return false;
    this.#add(route, source, 1);
    return true;
  }

  leave(route: string, source: string): void {
    this.#add(route, source, -1);
  }

  /** Routes and sources remembered: those with a request under way. */
  get remembered(): number {
    return this.#counts.size;
  }

  #add(route: string, source: string, change: 1 | -1): void {
    this.#all += change;
    for (const key of [route, keyOf(route, source)]) {
      const count = (this.#counts.get(key) ?? 0) + change;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }
}

function keyOf(route: string, source: string): string {
  return `${route} ${source}`;
}
