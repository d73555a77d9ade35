/** Of one message of a server, whichever way it comes. */
export const mostMessageBytes = 8 * 1024 * 1024;

export const tooLargeText = `it sent a message of more than ${mostMessageBytes / 1024 / 1024} MiB`;

/** In one second, messages or not. Each costs time here that others wait for. */
const mostLines = 5_000;

export const tooManyText = `it sent more than ${mostLines} lines in a second`;

/** Counts the lines of one connection. */
export class LineRate {
  #second = 0;
  #lines = 0;

  /** Counts one line at `now`, in milliseconds since 1970. Says whether it is one too many. */
  isTooMuch(now: number): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) this.#lines = 0;
    this.#second = second;
    this.#lines += 1;
    return this.#lines > mostLines;
  }
}
