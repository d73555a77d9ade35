import type { EncodedSignal } from "./signal-codec.ts";

const maxSignals = 4_000;
const maxBytes = 4_000_000;
const batchSignals = 500;
const batchBytes = 256_000;

/** Signals that wait to be sent, in order and bounded: past the bound the oldest expendable one goes, then the oldest. */
export class OutgoingSignals {
  #waiting: EncodedSignal[] = [];
  #byteLength = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Returns how many signals were dropped to make room. */
  push(signal: EncodedSignal): number {
    this.#waiting.push(signal);
    this.#byteLength += signal.byteLength;
    let dropped = 0;
    while (this.#waiting.length > maxSignals || this.#byteLength > maxBytes) {
      const expendable = this.#waiting.findIndex((waiting) => waiting.expendable);
      const [gone] = this.#waiting.splice(Math.max(0, expendable), 1);
      this.#byteLength -= gone?.byteLength ?? 0;
      dropped += 1;
    }
    return dropped;
  }

  /** Puts signals whose sending failed back in front. */
  putBack(signals: readonly EncodedSignal[]): void {
    this.#waiting.unshift(...signals);
    for (const signal of signals) this.#byteLength += signal.byteLength;
  }

  /** Removes the oldest signals, as many as belong into one batch. */
  take(): EncodedSignal[] {
    let count = 0;
    let byteLength = 0;
    for (const signal of this.#waiting) {
      if (count === batchSignals || (count > 0 && byteLength + signal.byteLength > batchBytes)) break;
      count += 1;
      byteLength += signal.byteLength;
    }
    this.#byteLength -= byteLength;
    return this.#waiting.splice(0, count);
  }
}
