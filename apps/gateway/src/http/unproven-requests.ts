/** Concurrent unauthenticated requests per signed route. A signature can be checked only after the body was read. */
const mostPerRoute = 64;
/** The same per source, so that one source cannot occupy a route with bodies that never end. */
const mostPerSource = 32;
/** The same over all routes, which bounds the memory for unauthenticated bodies. */
const mostInAll = 512;
/** A local proxy that `gateway.trustedProxies` does not list forwards the requests of many sources. */
const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** Counts requests that are not authenticated yet, by route and source. */
export class UnprovenRequests {
  readonly #counts = new Map<string, number>();
  #all = 0;

  /** True if one more may enter; then `leave` must follow. */
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

  /** Routes and sources with a request in progress. */
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
