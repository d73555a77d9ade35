import { BoundedMap } from "@talaria/adapter-kit";

const windowMs = 3_600_000;
/** Senders whose threads are counted at a time. */
const maxSenders = 1_000;

interface Window {
  readonly startedAt: number;
  threads: number;
  /** Everything beyond the budget joins the first mail that exceeded it. */
  overflow: string | undefined;
}

/** How many threads one sender may open in an hour. What comes beyond shares one, so that it is read as one turn. */
export class ThreadBudget {
  readonly #perHour: number;
  readonly #windows = new BoundedMap<string, Window>(maxSenders);

  constructor(perHour: number) {
    this.#perHour = perHour;
  }

  /** The root under which a new thread runs: its own, or the one that all further ones share. */
  rootFor(sender: string, root: string, elapsedMs: number): string {
    const known = this.#windows.get(sender);
    const window =
      known !== undefined && elapsedMs - known.startedAt < windowMs
        ? known
        : { startedAt: elapsedMs, threads: 0, overflow: undefined };
    this.#windows.set(sender, window);
    window.threads += 1;
    if (window.threads <= this.#perHour) return root;
    window.overflow ??= root;
    return window.overflow;
  }
}
