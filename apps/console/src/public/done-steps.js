/** What stands before a step, and its word where it is not simply done. Colour alone tells nothing. */
const marks = { done: { icon: "✓" }, failed: { icon: "✗", word: "failed" }, open: { icon: "…", word: "no result" } };

/**
 * What the turn of an answer did, folded: closed, it says how many steps that were and how many failed. Opened for the first time it asks
 * `load()` for `{ steps, earlier }`; each step opens to its result. `ms`: how long it took, where that was seen.
 */
export function createDoneSteps({ count, failed }, load, ms = 0) {
  const item = document.createElement("details");
  const summary = document.createElement("summary");
  item.className = "steps";
  summary.textContent = sumOf(count, ms);
  if (failed > 0) summary.append(failure(`${marks.failed.icon} ${failed} failed`));
  item.append(summary);
  let state = "unread";

  item.addEventListener("toggle", async () => {
    if (!item.open || state !== "unread") return;
    state = "reading";
    item.replaceChildren(summary, note("Reading …"));
    try {
      item.replaceChildren(summary, listOf(await load()));
      state = "read";
    } catch (error) {
      item.replaceChildren(summary, note(`The steps could not be read: ${error.message}. Close and open them again.`));
      state = "unread";
    }
  });
  return item;
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

function listOf({ steps, earlier }) {
  if (steps.length === 0) return note("The steps are not kept any more.");
  const list = document.createElement("ol");
  list.start = earlier + 1;
  list.append(...steps.map(stepOf));
  return list;
}

function stepOf({ label, state, result, leftOutChars }) {
  const item = document.createElement("li");
  const mark = marks[state] ?? marks.open;
  const words = [`${mark.icon} ${label}`];
  if (state === "failed") words.push(failure(mark.word));
  else if (mark.word !== undefined) words.push(`, ${mark.word}`);
  item.className = state === "failed" ? "failed" : "";
  if (result === undefined) {
    item.append(...words);
    return item;
  }
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const shown = document.createElement("pre");
  summary.append(...words);
  shown.textContent = result.trim() === "" ? "(nothing)" : result;
  details.append(summary, shown);
  if (leftOutChars > 0) details.append(note(`${leftOutChars} more characters are not shown.`));
  item.append(details);
  return item;
}

function failure(words) {
  const item = document.createElement("strong");
  item.className = "failure";
  item.textContent = words;
  return item;
}

function note(words) {
  const item = document.createElement("p");
  item.textContent = words;
  return item;
}
