import { batch, signal } from "@preact/signals";

/** Steps kept of one turn; earlier ones are counted. */
const mostSteps = 200;
/** What a turn does between its steps. */
const passing = new Set(["working", "thinking"]);

/**
 * What a growing reply's turn does, one step after the other, as signals: `list` has the newest as `{ label, ms }`, `ms` once a step is
 * over; `current` is what is done now, `{ label, at }`, and undefined while words come. `before` have been seen by nobody here; `now()` is in
 * milliseconds.
 */
export function createSteps(before = 0, now = () => performance.now()) {
  const begunAt = now();
  const list = signal([]);
  const count = signal(before);
  const current = signal(undefined);

  function settle() {
    const { label, at } = current.value ?? {};
    if (label !== undefined && !passing.has(label))
      list.value = [...list.value.slice(0, -1), { label, ms: now() - at }];
    current.value = undefined;
  }

  return {
    list,
    count,
    current,
    /** The same again is the same step, which goes on. */
    add(label) {
      if (current.value?.label === label) return;
      batch(() => {
        settle();
        current.value = { label, at: now() };
        if (passing.has(label)) return;
        list.value = [...list.value, { label }].slice(-mostSteps);
        count.value += 1;
      });
    },
    /** Words come: what was done is done. */
    pause: () => batch(settle),
    now,
    /** Since the turn began here. */
    get ms() {
      return now() - begunAt;
    },
  };
}

export function sumOf(count, ms) {
  return `${count === 1 ? "1 step" : `${count} steps`}${timeOf(ms)}`;
}

/** Below a second nobody cares. */
export function timeOf(ms) {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 1) return "";
  return seconds < 60 ? `, ${seconds} s` : `, ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
