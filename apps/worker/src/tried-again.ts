import type { Clock } from "@talaria/protocol";

/** Load may be over by then, or a daemon that starts late be there. */
const againMs = 600_000;

export interface TriedAgain<T> {
  answer(): Promise<T | undefined>;
  /** Resolves when nothing is being tried. */
  settled(): Promise<void>;
}

/**
 * Tries at the first question, and again at the first one that comes ten minutes after the answer was no, which is `undefined`.
 * One attempt at a time; whoever asks meanwhile waits for it. `attempt` must not reject.
 */
export function triedAgain<T>(attempt: () => Promise<T | undefined>, clock: Clock): TriedAgain<T> {
  let last: Promise<T | undefined> | undefined;
  let againAt = Number.POSITIVE_INFINITY;
  return {
    answer: () => {
      if (last === undefined || clock.elapsed() >= againAt) {
        againAt = Number.POSITIVE_INFINITY;
        last = attempt().then((answer) => {
          if (answer === undefined) againAt = clock.elapsed() + againMs;
          return answer;
        });
      }
      return last;
    },
    settled: async () => {
      await last;
    },
  };
}
