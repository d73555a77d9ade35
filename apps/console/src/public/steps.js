import { sumOf, timeOf } from "./done-steps.js";

/** Steps kept of one turn; earlier ones are counted. */
const mostSteps = 200;
/** What a turn does between its steps. */
const passing = new Set(["working", "thinking"]);

/**
 * What a turn does, one step after the other, each with the time it took. `item` folds them: closed, it says what is done now, and
 * once it is over how many steps that were. `now()` is in milliseconds.
 */
export function createSteps(now = () => performance.now()) {
  const item = document.createElement("details");
  const summary = document.createElement("summary");
  const list = document.createElement("ol");
  item.className = "steps";
  item.hidden = true;
  item.append(summary, list);
  const begunAt = now();
  let count = 0;
  let current;

  const tick = setInterval(() => {
    if (current !== undefined) summary.textContent = `${current.label}${timeOf(now() - current.at)} …`;
  }, 1_000);

  function settle() {
    if (current?.item !== undefined) current.item.textContent = `${current.label}${timeOf(now() - current.at)}`;
    current = undefined;
  }

  return {
    item,
    /** The same again is the same step, which goes on. */
    add(label) {
      if (current?.label === label) return;
      settle();
      summary.textContent = `${label} …`;
      item.hidden = false;
      if (passing.has(label)) {
        current = { label, at: now() };
        return;
      }
      const step = document.createElement("li");
      step.textContent = label;
      list.append(step);
      if (list.children.length > mostSteps) {
        list.firstElementChild.remove();
        list.start = count - mostSteps + 2;
      }
      count += 1;
      current = { label, at: now(), item: step };
    },
    /** Words come: what was done is done. */
    pause() {
      settle();
      item.hidden = count === 0;
      summary.textContent = sumOf(count, now() - begunAt);
    },
    end() {
      this.pause();
      clearInterval(tick);
    },
    get count() {
      return count;
    },
    /** Since the turn began here. */
    get ms() {
      return now() - begunAt;
    },
  };
}
