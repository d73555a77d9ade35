/** Requests to signed routes that may be under way at once; a signature is not checked before its body is read. */
const most = 64;
/** The same from one source, so that one alone cannot take all places with bodies that never end. */
const mostPerSource = 32;
/** A proxy on this machine speaks for many. */
const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** Counts requests that have not proven who sent them yet. */
export class UnprovenRequests {
  readonly #bySource = new Map<string, number>();
  #all = 0;

  /** Whether there is room for one more; then `leave` has to follow. */
  enter(source: string): boolean {
    const ofSource = this.#bySource.get(source) ?? 0;
    if (this.#all >= most || (ofSource >= mostPerSource && !loopback.test(source))) return false;
    this.#all += 1;
    this.#bySource.set(source, ofSource + 1);
    return true;
  }

  leave(source: string): void {
    this.#all -= 1;
    const left = (this.#bySource.get(source) ?? 1) - 1;
    if (left > 0) this.#bySource.set(source, left);
    else this.#bySource.delete(source);
  }

  /** Sources remembered: those with a request under way. */
  get sources(): number {
    return this.#bySource.size;
  }
}
