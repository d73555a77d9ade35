import { signal } from "@preact/signals";
import { timeText } from "./time-text.js";

/**
 * What keeps people from answers, as a signal: a sentence with the remedy, `""` while nothing does, undefined where nobody tells. `read()`
 * resolves with the gateway's connections and problems; `look()` asks, and never twice at once.
 */
export function createTrouble(read) {
  const trouble = signal(undefined);
  let looking;

  async function ask() {
    try {
      const { problems = [] } = await read();
      trouble.value = timed(problems.find(({ stopsAnswers }) => stopsAnswers)?.line ?? "");
    } catch {
      trouble.value = undefined;
    }
    looking = undefined;
  }

  return {
    trouble,
    look() {
      looking ??= ask();
      return looking;
    },
  };
}

/** With the reader's own times. */
function timed(line) {
  return line.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (instant) => timeText(instant));
}
