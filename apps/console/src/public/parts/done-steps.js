import { useState } from "preact/hooks";
import { html } from "../html.js";
import { sumOf } from "../steps.js";

/** What stands before a step, and its word where it is not simply done. Colour alone tells nothing. */
const marks = { done: { icon: "✓" }, failed: { icon: "✗", word: "failed" }, open: { icon: "…", word: "no result" } };

/**
 * What the turn of an answer did, folded: closed, it says how many steps that were and how many failed. Opened for the first time it asks
 * `load()` for `{ steps, earlier }`; each step opens to its result. `ms`: how long it took, where that was seen.
 */
export function DoneSteps({ count, failed, load, ms = 0 }) {
  const [read, setRead] = useState({ state: "unread" });

  async function toggled({ currentTarget }) {
    if (!currentTarget.open || read.state === "reading" || read.state === "read") return;
    setRead({ state: "reading" });
    try {
      setRead({ state: "read", ...(await load()) });
    } catch (error) {
      setRead({ state: "failed", problem: error.message });
    }
  }

  return html`
    <details class="steps" onToggle=${toggled}>
      <summary>${sumOf(count, ms)}${failed > 0 && html`<${Failure} words=${`${marks.failed.icon} ${failed} failed`} />`}</summary>
      <${List} ...${read} />
    </details>
  `;
}

function List({ state, steps, earlier, problem }) {
  if (state === "unread") return undefined;
  if (state === "reading") return html`<p>Reading …</p>`;
  if (state === "failed") return html`<p>${`The steps could not be read: ${problem}. Close and open them again.`}</p>`;
  if (steps.length === 0) return html`<p>The steps are not kept any more.</p>`;
  return html`<ol start=${earlier + 1}>${steps.map((step) => html`<${Step} ...${step} />`)}</ol>`;
}

function Step({ label, state, result, leftOutChars }) {
  const { icon, word } = marks[state] ?? marks.open;
  const isFailed = state === "failed";
  const words = html`${icon} ${label}${isFailed ? html`<${Failure} words=${word} />` : word && `, ${word}`}`;
  if (result === undefined) return html`<li>${words}</li>`;
  return html`
    <li class=${isFailed ? "failed" : ""}>
      <details>
        <summary>${words}</summary>
        <pre tabindex="0">${result.trim() === "" ? "(nothing)" : result}</pre>
        ${leftOutChars > 0 && html`<p>${`${leftOutChars} more characters are not shown.`}</p>`}
      </details>
    </li>
  `;
}

function Failure({ words }) {
  return html`<strong class="failure">${words}</strong>`;
}
