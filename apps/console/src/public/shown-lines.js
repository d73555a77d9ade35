import { signal } from "@preact/signals";

/** Lines on the page at once, and how many are drawn at first and more at a time: what a frame has the time for. */
const sizes = { most: 160, step: 6 };

/**
 * Which of the lines stand on the page: a part of about 160 at most, however many there are. Each change draws few lines, so that none takes
 * long. `places()` says which, from the first to before the last; a part that ends with the last line grows as lines are added.
 */
export function createShownLines(lines) {
  const version = signal(0);
  let from;
  /** Undefined: the part ends with the last line. */
  let until;

  function places() {
    version.value;
    const count = lines.value.length;
    if (count === 0) from = until = undefined;
    else from ??= Math.max(0, count - sizes.step);
    return { from: from ?? 0, until: Math.min(until ?? count, count), count };
  }

  function show(begin, end) {
    from = begin;
    until = end >= lines.value.length ? undefined : end;
    version.value += 1;
  }

  return {
    places,
    /** False: there are no earlier ones. */
    earlier() {
      const now = places();
      if (now.from === 0) return false;
      const begin = Math.max(0, now.from - sizes.step);
      show(begin, Math.min(now.until, begin + sizes.most));
      return true;
    },
    /** False: there are no later ones. */
    later() {
      const now = places();
      if (now.until === now.count) return false;
      const end = Math.min(now.count, now.until + sizes.step);
      show(Math.max(now.from, end - sizes.most), end);
      return true;
    },
    /** The end, and not more before it than fits. */
    toEnd() {
      const now = places();
      if (now.until < now.count) show(Math.max(0, now.count - sizes.step), now.count);
      else if (now.until - now.from > sizes.most + sizes.step) show(now.count - sizes.most, now.count);
    },
    /** So many lines have come before the first. */
    moved(by) {
      if (from !== undefined) from += by;
      if (until !== undefined) until += by;
    },
  };
}
