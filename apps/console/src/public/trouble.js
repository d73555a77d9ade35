import { signal } from "@preact/signals";
import { timeText } from "./time-text.js";

const sound = { state: "sound", line: "" };
/** Codes of notes: gateway and workers are away on purpose, and messages wait. */
const planned = new Set(["restarting", "stopping"]);

/**
 * Whether people get answers, as a signal, `{ state, line }`: `troubled` with what keeps people from them and the remedy, `waiting` while
 * Talaria is restarted or stopped on purpose, `sound` otherwise, with a line where a changed configuration is not in use; undefined where nobody tells. `read()` resolves with the gateway's connections
 * and problems; `look()` asks, and never twice at once.
 */
export function createTrouble(read) {
  const trouble = signal(undefined);
  let looking;

  async function ask() {
    try {
      const { problems = [] } = await read();
      trouble.value = shownOf(problems);
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

/** Of all problems the one that says most of whether people get answers. */
function shownOf(problems) {
  const stopping = problems.find(({ stopsAnswers }) => stopsAnswers);
  if (stopping !== undefined) return { state: "troubled", line: timed(stopping.line) };
  const away = problems.find(({ code, isNote }) => isNote && planned.has(code));
  if (away !== undefined) return { state: "waiting", line: timed(away.line) };
  const refused = problems.find(({ kind }) => kind === "configuration");
  return refused === undefined ? sound : { state: "sound", line: refused.line };
}

/** With the reader's own times. */
function timed(line) {
  return line.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (instant) => timeText(instant));
}
